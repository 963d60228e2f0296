#include "exec/now_and_then.h"

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace scree::exec {

NowAndThen::NowAndThen(double period, std::function<void()> f) {
  try {
    thread_ = std::thread([this, period, f = std::move(f)] { look(period, f); });
  } catch (const std::system_error&) {  // as many threads as the system allows: a word less, and the work goes on
  }
}

NowAndThen::~NowAndThen() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void NowAndThen::look(double period, const std::function<void()>& f) {
  std::unique_lock lock(mutex_);
  try {
    while (!ends_.wait_for(lock, std::chrono::duration<double>(period), [this] { return is_over_; })) f();
  } catch (const std::exception&) {  // out of memory: those who work meet it too
  }
}

}  // namespace scree::exec
