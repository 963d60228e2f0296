#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace scree::exec {

/// Calls `f` every `period` (s) while it lives, from a thread of its own: for what looks on while others work.
class NowAndThen {
 public:
  NowAndThen(double period, std::function<void()> f);
  ~NowAndThen();
  NowAndThen(const NowAndThen&) = delete;
  NowAndThen& operator=(const NowAndThen&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace scree::exec
