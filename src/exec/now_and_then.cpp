#include "exec/now_and_then.h"

#include <chrono>
#include <utility>

namespace scree::exec {

NowAndThen::NowAndThen(double period, std::function<void()> f)
    : thread_([this, each = std::chrono::duration<double>(period), f = std::move(f)] {
        std::unique_lock lock(mutex_);
        while (!ends_.wait_for(lock, each, [this] { return is_over_; })) f();
      }) {}

NowAndThen::~NowAndThen() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

}  // namespace scree::exec
