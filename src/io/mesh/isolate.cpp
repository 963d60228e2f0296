#include "io/mesh/isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <new>
#include <span>
#include <string>

#include "io/text/files.h"

namespace scree::io {
namespace {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

/// First byte of what the child sends.
enum class Verdict : unsigned char { done, refused, no_memory };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // their shadow memory alone is terabytes of address space
#else
constexpr bool kSanitized = false;
#endif

/// What a reader that waits may take over what one that computes may: the machine may be busy with other work.
constexpr double kPatience = 20;

void set_limits(double seconds, std::size_t memory) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto whole = static_cast<rlim_t>(std::ceil(seconds));
  const rlimit processor{whole, whole + 1};
  ::setrlimit(RLIMIT_CPU, &processor);
  if (kSanitized) return;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + memory;
  const rlimit space{limit, limit};
  ::setrlimit(RLIMIT_AS, &space);
}

[[noreturn]] void be_child(int out, const std::function<Result<Bytes>()>& work, double seconds, std::size_t memory) {
  set_limits(seconds, memory);
  if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) ::dup2(null, 1), ::dup2(null, 2);
  for (const int s : {SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGXCPU})
    ::signal(s, SIG_DFL);
  const auto send = [&](Verdict v, std::span<const std::byte> bytes) {
    const auto head = static_cast<std::byte>(v);
    ::_exit(write_fully(out, {&head, 1}) && write_fully(out, bytes) ? 0 : 1);
  };
  try {
    const Result<Bytes> result = work();
    if (result) send(Verdict::done, *result);
    send(Verdict::refused, std::as_bytes(std::span(result.error().message)));
  } catch (const std::bad_alloc&) {
    send(Verdict::no_memory, {});
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(1);
}

/// Everything up to the end of the pipe; false: the time was up.
bool collect(int in, Clock::time_point deadline, Bytes& bytes) {
  std::array<std::byte, 65536> chunk{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{in, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::min<long long>(left, 1000))) <= 0) continue;
    const ssize_t n = ::read(in, chunk.data(), chunk.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return true;
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + n);
  }
}

}  // namespace

Result<Bytes> isolated(const std::function<Result<Bytes>()>& work, double seconds, std::size_t memory) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{"cannot make a pipe: " + reason_of(errno)};
  const pid_t child = ::fork();
  if (child < 0) {
    const int why = errno;
    ::close(ends[0]), ::close(ends[1]);
    return Error{"cannot start a process: " + reason_of(why)};
  }
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], work, seconds, memory);
  }
  ::close(ends[1]);
  Bytes bytes;
  const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * kPatience * seconds));
  bool in_time = collect(ends[0], deadline, bytes);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  in_time = in_time && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
  if (!in_time)
    return Error{"damaged: reading it did not end within " + std::to_string(static_cast<long long>(seconds)) + " s"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || bytes.empty())
    return Error{"damaged: its reader crashed on it"};
  const auto verdict = static_cast<Verdict>(bytes[0]);
  bytes.erase(bytes.begin());
  if (verdict == Verdict::done) return bytes;
  if (verdict == Verdict::no_memory) return Error{"damaged or too large: reading it takes more memory than it may"};
  return Error{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

}  // namespace scree::io
