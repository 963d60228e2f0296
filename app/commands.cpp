#include "app/commands.h"

#include <iostream>
#include <string>

namespace scree::app {

// In one piece, for several ranks may speak at a time.
void say(std::string_view command, std::string_view message) {
  std::cerr << std::string("scree ").append(command).append(": ").append(message).append("\n");
}

int refuse(std::string_view command, std::string_view message) {
  say(command, message);
  return kBadInput;
}

int fail(std::string_view command, std::string_view message) {
  say(command, message);
  return kRunFailed;
}

}  // namespace scree::app
