#include "io/grains/grain_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/grains/saved_grains.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/table.h"

namespace scree::io {

namespace {

enum Slot : std::size_t { x, y, z, r, d, size, vx, vy, vz, wx, wy, wz, qw, qx, qy, qz, shape, none };
constexpr std::size_t kSlots = none;
constexpr std::size_t kMostColumns = 64, kMostBytes = std::size_t{1} << 33;

struct Name {
  const char* text;
  Slot slot;
};
/// The first name of each slot is the one that messages give.
constexpr Name kNames[] = {{"x", x},
                           {"y", y},
                           {"z", z},
                           {"r", r},
                           {"d", d},
                           {"size", size},
                           {"vx", vx},
                           {"vy", vy},
                           {"vz", vz},
                           {"wx", wx},
                           {"wy", wy},
                           {"wz", wz},
                           {"qw", qw},
                           {"qx", qx},
                           {"qy", qy},
                           {"qz", qz},
                           {"shape", shape},
                           {"-", none},
                           {"posx", x},
                           {"posy", y},
                           {"posz", z},
                           {"position_x", x},
                           {"position_y", y},
                           {"position_z", z},
                           {"radius", r},
                           {"diameter", d},
                           {"velocity_x", vx},
                           {"velocity_y", vy},
                           {"velocity_z", vz},
                           {"angular_velocity_x", wx},
                           {"angular_velocity_y", wy},
                           {"angular_velocity_z", wz}};

const Dimension& dimension_of(Slot s) {
  if (s <= size) return dimension::length;
  return s <= vz ? dimension::velocity : dimension::angular_velocity;
}
bool has_unit(Slot s) { return s <= wz; }

struct Column {
  Slot slot = none;
  double factor = 1;  ///< to SI
};

/// As programs write them: spreadsheets with commas or semicolons, and units in the heading.
constexpr Separators kSeparators{.marks = ",;", .keeps_units = true};

std::optional<Slot> slot_named(std::string_view word) {
  std::string low(word);
  for (char& ch : low) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch;
  for (const Name& n : kNames)
    if (low == n.text) return n.slot;
  return {};
}

std::string no_column(std::string_view word) {
  std::vector<std::string> known;
  for (const Name& n : kNames) known.emplace_back(n.text);
  std::string hint = did_you_mean(std::string(word), known);
  if (hint.empty()) hint = "; known: x y z r d size vx vy vz wx wy wz qw qx qy qz shape";
  return fmt::format("no column is called {}{}", shown(word), hint);
}

/// What makes a choice of columns no whole; empty: nothing does.
std::string incomplete(const std::array<bool, kSlots>& has, bool needs_places) {
  const std::size_t turns = std::size_t{has[qw]} + has[qx] + has[qy] + has[qz],
                    sizes = std::size_t{has[r]} + has[d] + has[size];
  if (needs_places && !(has[x] && has[y])) return "there is no column x, or none y";
  if (sizes > 1) return "expected only one of the columns r, d, size";
  if (!needs_places && sizes == 0) return "there is no column size, r or d";
  if (turns != 0 && turns != 4) return "an orientation needs all of qw qx qy qz";
  return {};
}

/// Leaves the columns that were asked for; empty: done, else what is wrong with them.
std::string choose_columns(GrainTable& t, const GrainFileAs& as) {
  if (as.columns.empty()) return {};
  std::array<bool, kSlots + 1> there{};
  for (const std::string& word : as.columns) {
    const std::optional<Slot> slot = slot_named(word);
    if (!slot) return no_column(word);
    if (*slot == none) return "`columns` names what is taken of it; there is nothing to pass over with -";
    if (there[*slot]) return fmt::format("the column {} is there twice", kNames[*slot].text);
    there[*slot] = true;
  }
  std::array<bool, kSlots> has{};
  std::copy_n(there.begin(), kSlots, has.begin());
  if (std::string why = incomplete(has, as.needs_places); !why.empty()) return why;
  const auto keep = [&](std::vector<Vec3>& column, Slot first) {
    const bool parts[3] = {has[first], has[first + 1], has[first + 2]};
    if (!parts[0] && !parts[1] && !parts[2]) return column.clear();
    for (Vec3& v : column)
      for (std::size_t k = 0; k < 3; ++k)
        if (!parts[k]) v[k] = 0;
  };
  keep(t.position, x), keep(t.velocity, vx), keep(t.angular_velocity, wx);
  if (!has[qw]) t.orientation.clear();
  if (!has[shape]) t.shape.clear();
  if (!has[r] && !has[d] && !has[size]) t.size.clear();
  t.has_radius = has[r] || has[d];
  return {};
}

class GrainReader : public TextLines {
 public:
  GrainReader(std::string name, const GrainFileAs& as, const Units& units)
      : TextLines(std::move(name)), as_(as), units_(units) {
    row_.fill(0);
  }

  /// False: no use in reading on.
  bool line(std::string_view text) {
    const std::optional<std::string_view> bare = next(text);
    if (!bare) return false;
    if (!words_.split(*bare, kSeparators)) return complain(words_.stray, "a comma with nothing beside it"), keep_on();
    if (words_.empty()) return true;
    if (columns_.empty()) return first_line();
    return row();
  }

  ReadGrains take() {
    if (out_.value.rows == 0 && is_clean())
      whole_file(out_.value.skipped > 0 ? std::string("no row has as many columns as were expected")
                                        : fmt::format("there are no {} in it", as_.what));
    out_.diagnostics = TextLines::take();
    return std::move(out_);
  }

 private:
  bool first_line() {
    const bool is_header =
        std::none_of(words_.begin(), words_.end(), [](std::string_view w) { return bool(table_number(w)); });
    std::vector<std::string> names = as_.columns;
    if (names.empty() && is_header) names.assign(words_.begin(), words_.end());
    if (names.empty() && !as_.needs_places) names = {"size"};
    if (names.empty()) names = {"x", "y", "z", "r"};
    if (names.size() > kMostColumns) return give_up(fmt::format("more columns than a table of {} has", as_.what));
    std::array<bool, kSlots> there{};
    for (std::size_t k = 0; k < names.size(); ++k) {
      const int at = as_.columns.empty() && is_header ? words_.column(k) : 1;
      Column c;
      if (!find_column(names[k], at, c)) return false;
      if (c.slot != none && there[c.slot])
        return complain(at, fmt::format("the column {} is there twice", kNames[c.slot].text)), false;
      if (c.slot != none) there[c.slot] = true;
      columns_.push_back(c);
    }
    has_ = there;
    return complete() && (is_header || row());
  }

  /// "Radius[m]", "r [mm]", "vx".
  bool find_column(const std::string& given, int at, Column& c) {
    const std::size_t bracket = given.find('[');
    std::string word = given.substr(0, bracket);
    while (!word.empty() && kSeparators.blanks.find(word.back()) != std::string_view::npos) word.pop_back();
    const std::optional<Slot> slot = slot_named(word);
    if (!slot) return complain(at, no_column(word) + "; `columns` names them, `-` passes one over"), false;
    c.slot = *slot;
    if (c.slot == none || !has_unit(c.slot)) return true;
    std::string unit = c.slot <= size ? as_.unit : dimension_of(c.slot).unit;
    if (bracket != std::string::npos) {
      const std::size_t end = given.find(']', bracket);
      unit = given.substr(bracket + 1, end == std::string::npos ? std::string::npos : end - bracket - 1);
    }
    const Result<double> factor = units_.to_si("1 " + unit, dimension_of(c.slot));
    if (!factor || !(*factor > 0)) {
      complain(at, fmt::format("{}: expected a unit of {}, got {}", shown(word), dimension_of(c.slot).name,
                               factor ? shown(unit) : shown(factor.error().message)));
      return false;
    }
    c.factor = *factor;
    return true;
  }

  /// Do the columns make whole vectors?
  bool complete() {
    if (const std::string why = incomplete(has_, as_.needs_places); !why.empty()) return give_up(why);
    out_.value.has_radius = has_[r] || has_[d];
    return true;
  }

  bool row() {
    if (words_.size() != columns_.size()) {
      if (as_.skips_other_rows) return ++out_.value.skipped, true;
      complain(1, fmt::format("{} column{}, expected {}{}", words_.size(), words_.size() == 1 ? "" : "s",
                              columns_.size(), as_.of_other_rows));
      return keep_on();
    }
    for (std::size_t k = 0; k < words_.size(); ++k) {
      const Column& c = columns_[k];
      if (c.slot == none) continue;
      if (c.slot == shape) {
        out_.value.shape.emplace_back(words_[k].substr(0, 200));
        continue;
      }
      const TableNumber v = table_number(words_[k]);
      if (!v || !std::isfinite(v.value * c.factor)) {
        complain(words_.column(k),
                 fmt::format("{}: expected a finite number, got {}", kNames[c.slot].text, shown(words_[k])));
        return keep_on();
      }
      row_[c.slot] = v.value * c.factor;
    }
    return store();
  }

  /// Of a slot that the file has.
  std::size_t column_of(Slot slot) const {
    std::size_t k = 0;
    while (columns_[k].slot != slot) ++k;
    return k;
  }

  bool store() {
    GrainTable& t = out_.value;
    if (t.rows == as_.most) return give_up(fmt::format("more than {} {}", as_.most, as_.what));
    const double s = has_[r] ? 2 * row_[r] : (has_[d] ? row_[d] : row_[size]);
    if (has_[r] || has_[d] || has_[size]) {
      if (!(s > 0) || !std::isfinite(s)) {
        const std::size_t k = column_of(has_[r] ? r : (has_[d] ? d : size));
        complain(words_.column(k),
                 fmt::format("{}: expected a length above 0, got {}", kNames[columns_[k].slot].text, shown(words_[k])));
        return keep_on();
      }
      t.size.push_back(s);
    }
    if (has_[qw]) {
      const Quat q{row_[qw], row_[qx], row_[qy], row_[qz]};
      if (!(std::abs(std::sqrt(norm2(q)) - 1) <= 1e-6)) {
        complain(words_.column(column_of(qw)), "qw qx qy qz: expected a unit quaternion (length 1 within 1e-6)");
        return keep_on();
      }
      t.orientation.push_back(normalized(q));
    }
    if (as_.needs_places) t.position.push_back({row_[x], row_[y], row_[z]});
    if (has_[vx] || has_[vy] || has_[vz]) t.velocity.push_back({row_[vx], row_[vy], row_[vz]});
    if (has_[wx] || has_[wy] || has_[wz]) t.angular_velocity.push_back({row_[wx], row_[wy], row_[wz]});
    ++t.rows;
    return true;
  }

  const GrainFileAs& as_;
  const Units& units_;
  std::vector<Column> columns_;
  Words words_;
  std::array<bool, kSlots> has_{};
  std::array<double, kSlots> row_{};
  ReadGrains out_;
};

}  // namespace

ReadGrains parse_grains(std::string_view text, const std::string& name, const GrainFileAs& as, const Units& units) {
  GrainReader reader(name, as, units);
  for_each_line(text, [&](std::string_view line) { return reader.line(line); });
  return reader.take();
}

ReadGrains read_grains(const std::filesystem::path& file, const GrainFileAs& as, const Units& units) {
  const auto refused = [&](std::string why) {
    ReadGrains r;
    r.diagnostics.push_back({Diagnostic::Severity::error, file.string(), 0, 0, "", std::move(why)});
    return r;
  };
  Result<std::vector<std::byte>> bytes = read_file(file, kMostBytes);
  if (!bytes) return refused(bytes.error().message);
  const std::string name = file.string();
  switch (kind_of_grain_file(*bytes, name)) {
    case GrainFileKind::text:
      if (!as.of_material.empty()) return refused("a text table does not say which material its grains are of");
      return parse_grains({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, name, as, units);
    case GrainFileKind::other:
      return refused("this is no file of HDF5 and no text table" + readable_grain_files());
    case GrainFileKind::run_output:
      break;
  }
  Result<GrainTable> table = saved_grains(std::move(*bytes), as);
  if (!table) return refused(table.error().message);
  ReadGrains r;
  r.value = std::move(*table);
  if (const std::string why = choose_columns(r.value, as); !why.empty()) return refused(why);
  return r;
}

}  // namespace scree::io
