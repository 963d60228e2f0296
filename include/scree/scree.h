/// Scree's public C++ interface: a case file, run in memory. It needs C++17 and no other header of Scree.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#if defined(_WIN32)
#define SCREE_API
#else
#define SCREE_API __attribute__((visibility("default")))
#endif

namespace scree {

/// "0.1.0"
SCREE_API const char* version();

/// One run of a case, in memory: nothing is written to disk. A run can be moved, not copied; one thread at a time may
/// use it. Several runs may go on in several threads at once: each has threads of its own, and what else the program
/// does with oneTBB is left alone.
class SCREE_API Run {
 public:
  enum class State {
    invalid,   ///< the case could not be read or built; messages() says why
    running,   ///< there is more to come
    finished,  ///< the last stage is over
    failed     ///< the physics failed (a position not finite, an overlap too deep); messages() names the particles
  };

  /// Reads a case file and builds its world at time 0.
  /// @param case_file  path of a YAML file
  /// @param set        overrides as of `scree run --set`, "output.every=5 ms"
  /// What the file holds never makes this throw: a faulty case gives a run whose state() is invalid.
  /// The run uses all cores; see set_threads.
  static Run open(const std::string& case_file, const std::vector<std::string>& set = {});

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// Threads that the run uses from now on; 0: all cores. Results do not depend on it, bit for bit.
  void set_threads(int n);

  State state() const;
  /// True while the run is neither invalid nor failed.
  explicit operator bool() const;
  /// Errors and warnings, one a line, as `scree check` prints them: "case.yaml:14:13: particles[0].size: expected ...";
  /// and what is to be known when a stage ends: a rest that was not reached, a servo that does not keep its force.
  const std::string& messages() const;

  /// Goes on by `seconds` of simulated time (to the nearest step), through as many stages as that takes; less when the
  /// run finishes or fails. Infinity goes on to the end of the run. Does nothing unless state() is running and seconds
  /// > 0.
  State advance(double seconds);

  double time() const;             ///< s, simulated
  double time_step() const;        ///< s
  std::uint64_t step() const;      ///< steps done
  std::string stage() const;       ///< name of the stage that is running; empty when state() is invalid
  double kinetic_energy() const;   ///< J, of translation and rotation
  std::string state_hash() const;  ///< sixteen hexadecimal digits, as in run.json: equal bits, equal hash

  /// One row per particle, in ascending order of ids. Rows change place when particles are removed; ids stay.
  std::size_t particle_count() const;
  std::vector<std::uint32_t> ids() const;
  std::vector<std::string> shapes() const;                        ///< names of prototypes
  std::vector<double> sizes() const;                              ///< m, factor on the prototype's coordinates
  std::vector<std::array<double, 3>> positions() const;           ///< m, centroids
  std::vector<std::array<double, 4>> orientations() const;        ///< w x y z, unit quaternion, body to space
  std::vector<std::array<double, 3>> velocities() const;          ///< m/s
  std::vector<std::array<double, 3>> angular_velocities() const;  ///< rad/s, space frame

 private:
  struct Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;  ///< never null, but in a run that was moved from
};

}  // namespace scree
