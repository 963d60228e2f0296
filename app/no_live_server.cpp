#include <iostream>

#include "app/commands.h"
#include "app/live_server.h"

namespace scree::app {

int serve_live(const std::filesystem::path&, std::optional<int>) {
  std::cerr << "scree view: this binary was built without cpp-httplib, which --live needs: configure it with "
               "libcpp-httplib-dev installed and -DSCREE_LIVE=ON\n";
  return kRunFailed;
}

}  // namespace scree::app
