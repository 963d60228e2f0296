#include "app/reading.h"

#include <utility>

#include "app/commands.h"
#include "exec/now_and_then.h"

namespace scree::app {

io::ReadCase read_case(std::string_view command, const std::string& file, const std::vector<std::string>& set,
                       bool mute) {
  constexpr double kLong = 2;  // s
  if (mute) return io::read_case(file, set);
  bool has_told = false;
  const exec::NowAndThen telling(kLong, [&] {
    if (!std::exchange(has_told, true)) say(command, "still reads " + file + " and the files that it names");
  });
  return io::read_case(file, set);
}

}  // namespace scree::app
