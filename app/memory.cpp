#include "app/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace scree::app {

namespace {

/// A value in kB of a file of lines "Name:  value kB", in bytes; 0: not there.
std::size_t kilobytes(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    std::size_t value = 0;
    if (word == name + ":" && in >> value) return value * 1024;
  }
  return 0;
}

}  // namespace

std::size_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : 0;
}

std::size_t peak_memory() { return kilobytes("/proc/self/status", "VmHWM"); }

void forget_peak() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

void fail_before_memory_is_out() {
  const std::size_t used = kilobytes("/proc/self/status", "VmSize"), left = kilobytes("/proc/meminfo", "MemAvailable");
  // A sanitizer has taken terabytes of addresses by then.
  if (used == 0 || left == 0 || used > (std::size_t{1} << 40)) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  const rlim_t most = used + left;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= most) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? most : std::min(most, limit.rlim_max);
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace scree::app
