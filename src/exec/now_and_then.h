#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace scree::exec {

/// Calls `f` every `period` (s) while it lives, from a thread of its own, for what tells the user of those who work:
/// where no thread can be had it does nothing, and where `f` throws no more.
class NowAndThen {
 public:
  NowAndThen(double period, std::function<void()> f);
  ~NowAndThen();
  NowAndThen(const NowAndThen&) = delete;
  NowAndThen& operator=(const NowAndThen&) = delete;

 private:
  void look(double period, const std::function<void()>& f);

  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace scree::exec
