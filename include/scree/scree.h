/// Scree's public C++ interface: a case file, run in memory. It needs C++17 and no other header of Scree.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// The same from text; messages call it `name`, and files that it names are sought from name's folder.
  static Run open_text(const std::string& text, const std::string& name, const std::vector<std::string>& set = {});

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// Threads that the run uses from now on; 0: all cores. Results do not depend on it, bit for bit.
  void set_threads(int n);

  State state() const;
  /// True while the run is neither invalid nor failed.
  explicit operator bool() const;
  /// Errors and warnings, one a line, as `scree check` prints them: "case.yaml:14:13: particles[0].size: expected ...";
  /// and what is to be known when a stage ends: a rest that was not reached, a servo that does not keep its force. The
  /// last line is refusal(), where a call was refused.
  const std::string& messages() const;
  /// Why the last call that was refused gave false; empty: none was, or there is a later message.
  const std::string& refusal() const;

  /// A mistake of the case, or what its user should know.
  struct Remark {
    bool is_error = true;
    std::string file;
    int line = 0, column = 0;  ///< from 1; 0: the file as a whole
    std::string key;           ///< "particles[0].size"
    std::string text;          ///< what was expected, what was found, the nearest valid spelling
  };
  /// What was found where the case was read; messages() has it as text.
  const std::vector<Remark>& remarks() const;

  /// Writes the state to FOLDER/checkpoint, where resume() finds it; of older ones the last stays. False: messages()
  /// says why it could not be written; so a run that is invalid or has failed, and a folder with the results of another
  /// run. Where FOLDER is that of the record, the record goes on from there: by record() of a run that was resumed, and
  /// by `scree run CASE --out FOLDER --resume`, in the bits of a run that never stopped.
  bool save(const std::string& folder);
  /// Takes the newest good checkpoint of FOLDER/checkpoint, of save() or of `scree run`, in place of the present state.
  /// False: messages() says why there is none for this case, and the run is as it was.
  bool resume(const std::string& folder);

  /// From now on FOLDER gets what `scree run` writes: a frame and a row of series.csv for the present state and for
  /// each output instant of the case, bonds.csv, run.json, checkpoints as the case wants them, and where the physics
  /// fails the steps before that, with the likely cause in failure(). `scree view FOLDER` makes its report page. The
  /// columns are those of the case. run.json is brought up to date when an advance() ends that has passed an instant.
  /// The state as it stands in the end is written too, and a checkpoint as of save(), by end_record() or when the run
  /// ends or goes. A run that was resumed from FOLDER and has made no step since goes on with what is there. False:
  /// messages() says why; so where FOLDER holds other results, and where there is a record already.
  bool record(const std::string& folder);
  void end_record();
  /// Whether a record is being written; no longer where the disk has failed, which ends advance(): record_failure()
  /// says why, and the run can go on without it.
  bool is_recording() const;
  /// Why the last record broke off; empty: it did not.
  const std::string& record_failure() const;
  /// Why the run has failed; empty: it has not.
  const std::string& failure() const;

  /// Goes on by `seconds` of simulated time (to the nearest step), through as many stages as that takes; less when the
  /// run finishes or fails. Infinity goes on to the end of the run. Does nothing unless state() is running and
  /// `seconds` positive.
  State advance(double seconds);
  /// The same; `goes_on` is asked before every step, and its false ends this call with the run as it stands: run.json
  /// of a record calls it interrupted until it goes on.
  State advance(double seconds, const std::function<bool()>& goes_on);

  double time() const;             ///< s, simulated
  double time_step() const;        ///< s
  std::uint64_t step() const;      ///< steps done
  std::string stage() const;       ///< name of the stage that is running; empty when state() is invalid
  double kinetic_energy() const;   ///< J, of translation and rotation
  std::string state_hash() const;  ///< sixteen hexadecimal digits, as in run.json: equal bits, equal hash

  /// J; what was lost, done and brought since the start (docs/energy.md).
  struct Energies {
    double kinetic_translation = 0, kinetic_rotation = 0, potential = 0, elastic = 0, bonds_elastic = 0;
    double lost_normal = 0, lost_tangential = 0, lost_friction = 0, lost_bonds = 0, lost_global = 0;
    double work_of_walls = 0, work_of_gravity = 0, work_of_outside = 0, exchanged = 0;
    double unclosed = 0;  ///< what does not close; above 0: gained from nothing
  };
  Energies energies() const;
  /// The particles that the message of a failed run names.
  std::vector<std::uint32_t> fault_ids() const;

  /// One row per particle, in ascending order of ids. Rows change place when particles are removed; ids stay.
  std::size_t particle_count() const;
  std::vector<std::uint32_t> ids() const;
  std::vector<std::string> shapes() const;                        ///< names of prototypes
  std::vector<double> sizes() const;                              ///< m, factor on the prototype's coordinates
  std::vector<std::array<double, 3>> positions() const;           ///< m, centroids
  std::vector<std::array<double, 4>> orientations() const;        ///< w x y z, unit quaternion, body to space
  std::vector<std::array<double, 3>> velocities() const;          ///< m/s
  std::vector<std::array<double, 3>> angular_velocities() const;  ///< rad/s, space frame
  std::vector<std::string> materials() const;
  std::vector<double> masses() const;                  ///< kg
  std::vector<double> radii() const;                   ///< m, of the bounding spheres about the centroids
  std::vector<std::array<double, 3>> forces() const;   ///< N, of contacts, bonds, gravity and from outside
  std::vector<std::array<double, 3>> torques() const;  ///< N m, about the centroids, space frame

  /// The run's own memory, not a copy: a row per particle in the order in which they lie, which is not that of the ids.
  /// It holds until the run steps, changes, resumes, is given forces or goes.
  struct Rows {
    std::size_t count = 0;
    const std::uint32_t* id = nullptr;
    const double *size = nullptr, *mass = nullptr, *radius = nullptr;                            ///< m, kg, m
    const double *position = nullptr, *velocity = nullptr, *force = nullptr, *torque = nullptr;  ///< of 3 each
    const double* angular_momentum = nullptr;  ///< of 3: kg m^2/s, about the centroid, space frame
    const double* orientation = nullptr;       ///< of 4: w x y z
  };
  Rows rows() const;

  /// Velocities and angular momenta in the run's own memory, with the rows of rows(), to be written into until
  /// end_writing(), or until the run steps, changes, resumes or is given forces, which ends it too. No memory where the
  /// run is invalid, has failed or is finished; messages() says so.
  struct Motion {
    std::size_t count = 0;
    double* velocity = nullptr;          ///< of 3: m/s
    double* angular_momentum = nullptr;  ///< of 3: kg m^2/s, about the centroid, space frame
  };
  Motion begin_writing();
  /// Takes what was written, with what it brings as `exchanged` in the ledger, or with `keeps` false puts back what was
  /// there. False, with all as it was before, where messages() says why: a number that is not finite, in two dimensions
  /// what leads out of the plane. True where nothing was begun.
  bool end_writing(bool keeps = true);

  /// Forces (N) and torques (N m, about the centroids, space frame) from outside, of a fluid, a field, a control loop:
  /// a row each in the order of ids(). They act from now on until they are changed, go with their grains, are saved
  /// with the state, and work_of_outside has what they do; grains that come later have none. No torques: all zero.
  /// False, with nothing changed, where messages() says why: lengths that differ, a number that is not finite, in two
  /// dimensions what leads out of the plane, a run that is invalid, has failed or is finished.
  bool set_outer_forces(const std::vector<std::array<double, 3>>& force,
                        const std::vector<std::array<double, 3>>& torque = {});
  std::vector<std::array<double, 3>> outer_forces() const;   ///< N, a row each; zeros where nothing acts
  std::vector<std::array<double, 3>> outer_torques() const;  ///< N m, likewise

  /// Changes the run as a stage of a case would, while the running one goes on: `changes` is YAML with the keys of a
  /// stage that a checkpoint can hold (remove, move, gravity, damping, cut_above, insert, open, close):
  /// "{move: {lid: {servo: {stress: 50 kPa, max_velocity: 0.1 m/s}}}}". Walls keep a motion until a later stage or
  /// change gives them another; the grains of `insert` are those with new ids. All of it is saved with the state, and
  /// the ledger has what comes and goes as `exchanged`. `gone`: ids of grains that are taken away first.
  /// False, with nothing changed, where change_remarks() says why: mistakes of the text; without a file and a key that
  /// grains overlap others, that an id is not there, that the run is invalid, has failed or is finished.
  bool change(const std::string& changes, const std::vector<std::uint32_t>& gone = {});
  /// Of the last change().
  const std::vector<Remark>& change_remarks() const;

  /// Contacts of the last step, a row each.
  struct Contacts {
    std::vector<std::int64_t> a, b;                    ///< ids of particles; a wall is -1 - its id
    std::vector<std::array<double, 3>> point, normal;  ///< m; unit, from a to b
    std::vector<std::array<double, 3>> force;          ///< N, on b
    std::vector<double> overlap;                       ///< m
  };
  Contacts contacts() const;

  /// Bonds that hold, a row each in ascending order of a, then b; what they bear is that of the last step.
  struct Bonds {
    std::vector<std::uint32_t> a, b;                  ///< ids of particles, a < b
    std::vector<std::array<double, 3>> force;         ///< N, on b
    std::vector<double> normal_stress, shear_stress;  ///< Pa, the largest over the cross-section
    std::vector<double> damage;                       ///< largest stress over strength so far; it breaks at 1
  };
  Bonds bonds() const;
  /// Of each particle the lowest id among those that bonds hold it together with; its own where there is none.
  std::vector<std::uint32_t> fragments() const;

  struct Wall {
    std::string name;
    std::uint32_t id = 0;
    std::array<double, 3> point{}, normal{}, velocity{};  ///< m, of a mesh the origin of its frame; unit, zero; m/s
    std::array<double, 3> force{}, torque{};              ///< N, N m about its axis' point: from the grains, last step
  };
  std::vector<Wall> walls() const;

 private:
  struct Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;  ///< never null, but in a run that was moved from
};

}  // namespace scree
