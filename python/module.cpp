// The compiled half of the Python module: scree::Run with arrays in place of vectors. python/scree gives it its names.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <scree/scree.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

namespace py = pybind11;
using scree::Run;

namespace {

/// To be read: what is written into a copy of the state is lost.
template <class A>
A read_only(A a) {
  py::detail::array_proxy(a.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return a;
}
template <class T>
py::array_t<T> array_of(const std::vector<T>& v) {
  return read_only(py::array_t<T>(static_cast<py::ssize_t>(v.size()), v.data()));
}
template <std::size_t N>
py::array_t<double> array_of(const std::vector<std::array<double, N>>& v) {
  py::array_t<double> a({static_cast<py::ssize_t>(v.size()), static_cast<py::ssize_t>(N)});
  if (!v.empty()) std::memcpy(a.mutable_data(), v.data(), v.size() * sizeof v[0]);
  return read_only(std::move(a));
}
template <std::size_t N>
py::array_t<double> array_of(const std::array<double, N>& v) {
  return read_only(py::array_t<double>(static_cast<py::ssize_t>(N), v.data()));
}
py::list array_of(const std::vector<std::string>& v) { return py::cast(v); }

// A thread that asks for Python's lock when Python has ended is ended where it stands, which within a call of C++ ends
// the process. So Python waits for the calls that have let go of the lock, and later ones of other threads never
// return.
std::atomic<bool> leaving = false;
std::atomic<int> under_way = 0;
std::thread::id leaver;  ///< whoever ends Python
bool has_to_leave() { return leaving && std::this_thread::get_id() != leaver; }
struct Call {
  Call() {
    ++under_way;
    if (!has_to_leave()) return;
    --under_way;
    PyEval_SaveThread();
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  ~Call() { --under_way; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// A run that one call at a time has: while it steps, other threads of Python run, and may not look at it.
class GuardedRun {
 public:
  /// With Python's lock, as ~GuardedRun.
  explicit GuardedRun(Run run) : run_(std::move(run)) { all().insert(this); }
  ~GuardedRun() { all().erase(this); }
  GuardedRun(const GuardedRun&) = delete;
  GuardedRun& operator=(const GuardedRun&) = delete;

  /// When Python ends. A thread that never returns may have a run for good: it would not end its record by going.
  static void end_records() {
    std::string failures;
    for (GuardedRun* r : all()) {
      if (!r->run_.is_recording()) continue;
      r->run_.end_record();
      if (const std::string& why = r->run_.record_failure(); !why.empty()) failures += "scree: " + why + "\n";
    }
    if (!failures.empty())  // other threads may run meanwhile
      py::print(failures, py::arg("end") = "", py::arg("file") = py::module_::import("sys").attr("stderr"));
  }

  /// f(run) without Python's lock, which may move rows: not while arrays of borrow() are alive.
  template <class F>
  auto move_rows(F&& f) {
    if (lent_ > 0)
      throw py::buffer_error("arrays that borrow the run's memory are alive: let go of them, or keep copies instead");
    return alone(f);
  }

  /// Arrays by name over the run's own memory, to be read; with `writing` those of motion to be written into, until
  /// end_writing. They keep the run alive, and it stands still meanwhile.
  static py::dict borrow(const py::object& self, bool writing) {
    auto& r = self.cast<GuardedRun&>();
    const Hold hold(r);
    if (writing && r.writers_ > 0) throw py::buffer_error("arrays that write into the run's memory are alive already");
    r.take_written();
    Run::Motion motion;
    if (writing) {
      motion = r.run_.begin_writing();
      if (motion.velocity == nullptr && r.run_.state() != Run::State::running) throw refused_by(r.run_);
      r.is_written_ = r.is_in_block_ = true;
    }
    const Run::Rows rows = r.run_.rows();
    struct Loan {
      Loan(py::object s, bool w) : run(std::move(s)), writes(w) { count(1); }
      ~Loan() { count(-1); }
      Loan(const Loan&) = delete;
      Loan& operator=(const Loan&) = delete;
      void count(int by) const {
        auto& of = run.cast<GuardedRun&>();
        of.lent_ += by;
        if (writes) of.writers_ += by;
      }
      py::object run;
      bool writes;
    };
    const auto loan_of = [&self](bool writes) {
      return py::capsule(new Loan(self, writes), [](void* p) { delete static_cast<Loan*>(p); });
    };
    const py::capsule to_read = loan_of(false);
    py::dict d;
    const auto lend = [&](const char* name, auto* first, py::ssize_t width, const py::capsule& loan) {
      std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows.count)};
      if (width > 1) shape.push_back(width);
      py::array a(py::dtype::of<std::remove_const_t<std::remove_pointer_t<decltype(first)>>>(), shape, first, loan);
      if constexpr (std::is_const_v<std::remove_pointer_t<decltype(first)>>)
        a.attr("setflags")(py::arg("write") = false);
      d[name] = a;
    };
    const auto read = [&](const char* name, const auto* first, py::ssize_t width) {
      lend(name, first, width, to_read);
    };
    read("id", rows.id, 1), read("size", rows.size, 1), read("mass", rows.mass, 1), read("radius", rows.radius, 1);
    read("position", rows.position, 3), read("orientation", rows.orientation, 4);
    read("force", rows.force, 3), read("torque", rows.torque, 3);
    if (writing) {
      const py::capsule to_write = loan_of(true);
      lend("velocity", motion.velocity, 3, to_write), lend("angular_momentum", motion.angular_momentum, 3, to_write);
    } else {
      read("velocity", rows.velocity, 3), read("angular_momentum", rows.angular_momentum, 3);
    }
    return d;
  }

  /// Takes what was written, or puts back what was there. Parts of the arrays that are still alive may go on to write:
  /// what they do is taken when they have gone, and nobody looks at the run before.
  void end_writing(bool keeps) {
    const Hold hold(*this);
    is_in_block_ = false;
    if (!is_written_) return;
    const bool taken = run_.end_writing(keeps);
    is_written_ = writers_ > 0;
    if (is_written_) run_.begin_writing();
    if (!taken) throw refused_by(run_);
  }

  /// f(run) without Python's lock.
  template <class F>
  auto alone(F&& f) {
    const Call call;
    const Hold hold(*this);
    take_written();
    const py::gil_scoped_release others;
    return f(run_);
  }

  Run::State advance(double seconds) {
    // Ctrl-C, looked for every twentieth of a second.
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    unsigned steps = 0;
    bool raised = false;
    const Run::State state = move_rows([&](Run& run) {
      return run.advance(seconds, [&] {
        if (has_to_leave()) return false;
        if (++steps % 8 != 0 || Clock::now() - last < std::chrono::milliseconds(50)) return true;
        const py::gil_scoped_acquire python;
        raised = PyErr_CheckSignals() != 0;
        last = Clock::now();
        return !raised;
      });
    });
    if (raised) throw py::error_already_set();
    return state;
  }

 private:
  struct Hold {
    explicit Hold(GuardedRun& r) : run(r) {
      if (run.busy_.exchange(true)) throw std::runtime_error("the run is stepping, or in use by another thread");
    }
    ~Hold() { run.busy_ = false; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    GuardedRun& run;
  };
  static std::set<GuardedRun*>& all() {
    static std::set<GuardedRun*> runs;
    return runs;
  }
  static std::invalid_argument refused_by(const Run& run) { return std::invalid_argument(run.refusal()); }
  /// By arrays that outlived their block and have gone since.
  void take_written() {
    if (!is_written_ || is_in_block_) return;
    if (writers_ > 0)
      throw py::buffer_error(
          "arrays that write into the run's memory have outlived their block of borrow() and are "
          "alive: let go of them");
    is_written_ = false;
    if (!run_.end_writing()) throw refused_by(run_);
  }
  Run run_;
  std::atomic<bool> busy_ = false;
  // Under Python's lock.
  int lent_ = 0, writers_ = 0;  ///< loans that are alive; those of them that write
  bool is_written_ = false;     ///< between begin_writing and end_writing
  bool is_in_block_ = false;    ///< whose arrays write
};

template <class F>
auto column(F f) {
  return [f](GuardedRun& r) { return array_of(r.alone([f](Run& run) { return (run.*f)(); })); };
}
template <class F>
auto value(F f) {
  return [f](GuardedRun& r) { return r.alone([f](Run& run) { return (run.*f)(); }); };
}

template <const std::vector<Run::Remark>& (Run::*F)() const>
py::list remarks_of(GuardedRun& r) {
  py::list all;
  for (const Run::Remark& m : r.alone([](Run& run) { return (run.*F)(); }))
    all.append(py::make_tuple(m.is_error, m.file, m.line, m.column, m.key, m.text));
  return all;
}

py::dict energies_of(GuardedRun& r) {
  const Run::Energies e = r.alone([](Run& run) { return run.energies(); });
  py::dict d;
  d["kinetic_translation"] = e.kinetic_translation, d["kinetic_rotation"] = e.kinetic_rotation;
  d["potential"] = e.potential, d["elastic"] = e.elastic, d["bonds_elastic"] = e.bonds_elastic;
  d["lost_normal"] = e.lost_normal, d["lost_tangential"] = e.lost_tangential, d["lost_friction"] = e.lost_friction;
  d["lost_bonds"] = e.lost_bonds, d["lost_global"] = e.lost_global;
  d["work_of_walls"] = e.work_of_walls, d["work_of_gravity"] = e.work_of_gravity;
  d["work_of_outside"] = e.work_of_outside;
  d["exchanged"] = e.exchanged, d["unclosed"] = e.unclosed;
  return d;
}

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
std::vector<std::array<double, 3>> vectors_of(const Rows& a) {
  if (a.ndim() != 2 || a.shape(1) != 3) throw std::invalid_argument("expected an array of N rows of 3");
  std::vector<std::array<double, 3>> v(static_cast<std::size_t>(a.shape(0)));
  if (!v.empty()) std::memcpy(v.data(), a.data(), v.size() * sizeof v[0]);
  return v;
}

py::dict contacts_of(GuardedRun& r) {
  const Run::Contacts c = r.alone([](Run& run) { return run.contacts(); });
  py::dict d;
  d["a"] = array_of(c.a), d["b"] = array_of(c.b), d["point"] = array_of(c.point), d["normal"] = array_of(c.normal);
  d["force"] = array_of(c.force), d["overlap"] = array_of(c.overlap);
  return d;
}

py::dict bonds_of(GuardedRun& r) {
  const Run::Bonds b = r.alone([](Run& run) { return run.bonds(); });
  py::dict d;
  d["a"] = array_of(b.a), d["b"] = array_of(b.b), d["force"] = array_of(b.force);
  d["normal_stress"] = array_of(b.normal_stress), d["shear_stress"] = array_of(b.shear_stress);
  d["damage"] = array_of(b.damage);
  return d;
}

py::list walls_of(GuardedRun& r) {
  py::list all;
  for (const Run::Wall& w : r.alone([](Run& run) { return run.walls(); })) {
    py::dict d;
    d["name"] = w.name, d["id"] = w.id, d["point"] = array_of(w.point), d["normal"] = array_of(w.normal);
    d["velocity"] = array_of(w.velocity), d["force"] = array_of(w.force), d["torque"] = array_of(w.torque);
    all.append(d);
  }
  return all;
}

}  // namespace

PYBIND11_MODULE(_scree, m) {
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    leaver = std::this_thread::get_id();
    leaving = true;
    {
      const py::gil_scoped_release others;
      while (under_way > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    GuardedRun::end_records();
  }));
  // A child has none of the other threads.
  py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") =
                                                         py::cpp_function([] { under_way = 0; }));
  m.attr("version") = scree::version();
  py::enum_<Run::State>(m, "State")
      .value("invalid", Run::State::invalid)
      .value("running", Run::State::running)
      .value("finished", Run::State::finished)
      .value("failed", Run::State::failed);
  py::class_<GuardedRun>(m, "Run")
      .def(py::init([](const std::string& text, const std::string& name) {
        const Call call;
        const auto open = [&] {
          const py::gil_scoped_release others;
          return Run::open_text(text, name);
        };
        return std::make_unique<GuardedRun>(open());
      }))
      .def("advance", &GuardedRun::advance)
      .def("set_threads", [](GuardedRun& r, int n) { r.alone([n](Run& run) { run.set_threads(n); }); })
      .def("save", [](GuardedRun& r, const std::string& to) { return r.alone([&](Run& run) { return run.save(to); }); })
      .def("resume", [](GuardedRun& r,
                        const std::string& from) { return r.move_rows([&](Run& run) { return run.resume(from); }); })
      .def("record",
           [](GuardedRun& r, const std::string& to) { return r.alone([&](Run& run) { return run.record(to); }); })
      .def("end_record", [](GuardedRun& r) { r.alone([](Run& run) { run.end_record(); }); })
      .def("is_recording", value(&Run::is_recording))
      .def("record_failure", value(&Run::record_failure))
      .def("failure", value(&Run::failure))
      .def("state", value(&Run::state))
      .def("messages", value(&Run::messages))
      .def("refusal", value(&Run::refusal))
      .def("remarks", remarks_of<&Run::remarks>)
      .def("time", value(&Run::time))
      .def("time_step", value(&Run::time_step))
      .def("step", value(&Run::step))
      .def("stage", value(&Run::stage))
      .def("kinetic_energy", value(&Run::kinetic_energy))
      .def("state_hash", value(&Run::state_hash))
      .def("energies", energies_of)
      .def("fault_ids", column(&Run::fault_ids))
      .def("count", value(&Run::particle_count))
      .def("id", column(&Run::ids))
      .def("shape", column(&Run::shapes))
      .def("material", column(&Run::materials))
      .def("size", column(&Run::sizes))
      .def("mass", column(&Run::masses))
      .def("radius", column(&Run::radii))
      .def("position", column(&Run::positions))
      .def("orientation", column(&Run::orientations))
      .def("velocity", column(&Run::velocities))
      .def("angular_velocity", column(&Run::angular_velocities))
      .def("force", column(&Run::forces))
      .def("torque", column(&Run::torques))
      .def("set_outer_forces",
           [](GuardedRun& r, const Rows& force, const Rows& torque) {
             const auto f = vectors_of(force), t = vectors_of(torque);
             return r.move_rows([&](Run& run) { return run.set_outer_forces(f, t); });
           })
      .def("borrow", &GuardedRun::borrow)
      .def("end_writing", &GuardedRun::end_writing)
      .def("outer_force", column(&Run::outer_forces))
      .def("outer_torque", column(&Run::outer_torques))
      .def("change",
           [](GuardedRun& r, const std::string& changes, const std::vector<std::uint32_t>& gone) {
             return r.move_rows([&](Run& run) { return run.change(changes, gone); });
           })
      .def("change_remarks", remarks_of<&Run::change_remarks>)
      .def("contacts", contacts_of)
      .def("bonds", bonds_of)
      .def("fragment", column(&Run::fragments))
      .def("walls", walls_of);
}
