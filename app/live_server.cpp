#include "app/live_server.h"

#include <httplib.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "app/commands.h"
#include "io/results/live_report.h"
#include "io/text/files.h"

namespace scree::app {

namespace {

constexpr const char* kHere = "127.0.0.1";
constexpr int kAtOnce = 4;  ///< requests

/// The signals that end the server, held back in this thread and in those that it starts, for wait() alone.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before {};
      ::sigaction(number, nullptr, &before);
      if (number != SIGHUP || before.sa_handler != SIG_IGN) sigaddset(&set_, number);  // nohup
    }
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
  }
  /// false: none within a moment.
  bool wait() const {
    const timespec moment{0, 200'000'000};
    return ::sigtimedwait(&set_, nullptr, &moment) > 0;
  }
  /// The next one kills.
  void let_go() const { ::pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); }

 private:
  sigset_t set_{};
};

/// Whether a Host header names this machine's own interface. Any other name has been made to lead here by somebody
/// else, whose page would then read ours; the port is free, for a tunnel may have another one.
bool names_this_machine(std::string host) {
  const std::size_t colon = host.rfind(':');
  if (colon != host.npos && host.find_first_not_of("0123456789", colon + 1) == host.npos) host.resize(colon);
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return host == kHere || host == "localhost";
}

void refuse(httplib::Response& out, int status, const std::string& sentence) {
  out.status = status;
  out.set_content(sentence + "\n", "text/plain; charset=utf-8");
}

std::uint64_t number_in(const httplib::Request& in, const char* name) {
  const std::string text = in.get_param_value(name);
  std::uint64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

class LiveServer {
 public:
  LiveServer(const std::filesystem::path& results, std::string page) : page_(std::move(page)), report_(results) {
    server_.set_address_family(AF_INET);
    // The library's own would let two servers share a port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.new_task_queue = [] { return new httplib::ThreadPool(kAtOnce); };
    // A connection for each request: none that is open and idle holds up the end.
    server_.set_keep_alive_max_count(1), server_.set_keep_alive_timeout(2);
    server_.set_read_timeout(2), server_.set_write_timeout(20);
    server_.set_payload_max_length(0);
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Content-Security-Policy", "frame-ancestors 'none'"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Referrer-Policy", "no-referrer"}});
    server_.set_pre_routing_handler([](const httplib::Request& in, httplib::Response& out) {
      if (in.get_header_value_count("Host") != 1 || !names_this_machine(in.get_header_value("Host"))) {
        refuse(out, 403, "This page is served under the names localhost and 127.0.0.1 alone.");
      } else if (in.method != "GET" && in.method != "HEAD") {
        refuse(out, 405, "This page can be looked at, no more.");
        out.set_header("Allow", "GET, HEAD");
      } else {
        return httplib::Server::HandlerResponse::Unhandled;
      }
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.Get("/", [this](const httplib::Request&, httplib::Response& out) {
      out.set_content(page_, "text/html; charset=utf-8");
    });
    server_.Get("/news", [this](const httplib::Request& in, httplib::Response& out) {
      out.set_content(news({number_in(in, "edition"), number_in(in, "parts"), number_in(in, "series"),
                            number_in(in, "rows"), number_in(in, "about")}),
                      "application/json");
    });
    server_.set_error_handler([](const httplib::Request&, httplib::Response& out) {
      if (out.body.empty()) refuse(out, out.status, out.status == 404 ? "There is nothing here." : "Refused.");
    });
    server_.set_exception_handler([](const httplib::Request&, httplib::Response& out, const std::exception_ptr&) {
      refuse(out, 500, "Out of memory, or an error that nothing here foresees.");
    });
  }

  /// The port that it listens on; 0: none, errno says why.
  int bind(std::optional<int> port) {
    errno = 0;
    if (!port) return std::max(0, server_.bind_to_any_port(kHere));
    return server_.bind_to_port(kHere, *port) ? *port : 0;
  }
  /// Until a signal comes; false: it ended by itself.
  bool serve(const EndSignals& signals) {
    std::thread listening([this] { server_.listen_after_bind(), has_ended_ = true; });
    bool is_asked = false;
    while (!is_asked && !has_ended_) is_asked = signals.wait();
    signals.let_go();
    server_.stop();
    listening.join();
    return is_asked;
  }

 private:
  /// One request at a time: the readers of files know no threads.
  std::string news(const io::LiveReport::Known& known) {
    const std::lock_guard alone(mutex_);
    std::string answer = report_.news(known);
    if (report_.problem() != said_) {
      said_ = report_.problem();
      std::cerr << "scree view: " << (said_.empty() ? "the results folder is there again" : said_) << std::endl;
    }
    return answer;
  }

  httplib::Server server_;
  std::atomic<bool> has_ended_ = false;
  const std::string page_;
  std::mutex mutex_;
  io::LiveReport report_;
  std::string said_;
};

}  // namespace

int serve_live(const std::filesystem::path& results, std::optional<int> port) {
  const EndSignals signals;
  auto page = io::live_page(results);
  if (!page) {
    std::cerr << "scree view: " << page.error().message << "\n";
    return kRunFailed;
  }
  LiveServer server(results, std::move(*page));
  const int bound = server.bind(port);
  if (bound == 0) {
    const int why = errno;
    std::cerr << "scree view: cannot listen on port " << port.value_or(0) << " of " << kHere << ": "
              << (why == EADDRINUSE ? "another program has it; without --port a free one is taken" : io::reason_of(why))
              << "\n";
    return kRunFailed;
  }
  std::cout << "http://" << kHere << ":" << bound << "/" << std::endl;
  std::cerr << "scree view: this page follows " << results.string() << "; Ctrl-C ends it" << std::endl;
  if (server.serve(signals)) return kDone;
  std::cerr << "scree view: the server has ended by itself\n";
  return kRunFailed;
}

}  // namespace scree::app
