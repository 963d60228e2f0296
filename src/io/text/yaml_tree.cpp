#include "io/text/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <charconv>
#include <map>
#include <sstream>

#include "io/text/nearest.h"

namespace scree::io {

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].name == key) return &items[i];
  return nullptr;
}

namespace {

/// yaml-cpp's own tree drops duplicate keys and the positions of keys, so this one is built from the events. Throws
/// YAML::ParserException, as the parser around it does, to stop at a limit before the parser recurses on.
class TreeBuilder : public YAML::EventHandler {
 public:
  static constexpr const char* kNoPlainName = "a key has to be a plain name";
  TreeBuilder(std::string file, std::vector<Diagnostic>& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics) {}
  Node root;
  /// Where the innermost open list or map begins.
  YAML::Mark innermost(const YAML::Mark& otherwise) const { return open_.empty() ? otherwise : open_.back().mark; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& m, YAML::anchor_t a) override { leaf(m, a, make(m, Node::Kind::nothing)); }
  void OnScalar(const YAML::Mark& m, const std::string& tag, YAML::anchor_t a, const std::string& text) override {
    Node n = make(m, Node::Kind::scalar);
    n.text = text;
    n.quoted = tag == "!";
    leaf(m, a, std::move(n));
  }
  void OnAlias(const YAML::Mark& m, YAML::anchor_t a) override {
    const auto found = anchors_.find(a);
    if (found == anchors_.end()) throw YAML::ParserException(m, "an alias inside what it stands for");
    count(m, size_of(found->second));
    if (open_.size() + depth_of(found->second) > kMaxDepth) too_deep(m);
    place(m, Node(found->second));
  }
  void OnSequenceStart(const YAML::Mark& m, const std::string&, YAML::anchor_t a, YAML::EmitterStyle::value) override {
    open(m, a, Node::Kind::list);
  }
  void OnMapStart(const YAML::Mark& m, const std::string&, YAML::anchor_t a, YAML::EmitterStyle::value) override {
    open(m, a, Node::Kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    bool has_key = false;    // map: a key stands without its value
    bool duplicate = false;  // the value of the key at hand is to be dropped
    Node::Key key;
    std::map<std::string, int> line_of;  // keys so far
  };

  static Node make(const YAML::Mark& m, Node::Kind kind) {
    Node n;
    n.kind = kind;
    n.line = m.line + 1, n.column = m.column + 1;
    return n;
  }
  /// Values, long texts counted by their length: what kMaxNodes limits.
  static std::size_t size_of(const Node& n) {
    std::size_t s = 1 + n.text.size() / 64;
    for (const auto& k : n.keys) s += k.name.size() / 64;
    for (const Node& i : n.items) s += size_of(i);
    return s;
  }
  static std::size_t depth_of(const Node& n) {
    std::size_t d = 0;
    for (const Node& i : n.items) d = std::max(d, depth_of(i));
    return d + 1;
  }
  [[noreturn]] static void too_deep(const YAML::Mark& m) {
    throw YAML::ParserException(m, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  void count(const YAML::Mark& m, std::size_t n) {
    nodes_ += n;
    if (nodes_ > kMaxNodes)
      throw YAML::ParserException(m, fmt::format("more than {} values, aliases counted in full", kMaxNodes));
  }
  void open(const YAML::Mark& m, YAML::anchor_t a, Node::Kind kind) {
    if (open_.size() >= kMaxDepth) too_deep(m);
    if (awaits_key()) throw YAML::ParserException(m, kNoPlainName);
    count(m, 1);
    open_.push_back({make(m, kind), a, m, false, false, {}, {}});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor) {
      count(done.mark, size_of(done.node));
      anchors_[done.anchor] = done.node;
    }
    place(done.mark, std::move(done.node));
  }
  bool awaits_key() const {
    return !open_.empty() && open_.back().node.kind == Node::Kind::map && !open_.back().has_key;
  }
  void leaf(const YAML::Mark& m, YAML::anchor_t a, Node n) {
    count(m, size_of(n) * (a ? 2 : 1));
    if (a) anchors_[a] = n;
    place(m, std::move(n));
  }
  void place(const YAML::Mark& m, Node n) {
    if (open_.empty()) {
      root = std::move(n);
      return;
    }
    Open& o = open_.back();
    if (o.node.kind == Node::Kind::list) {
      o.node.items.push_back(std::move(n));
    } else if (!o.has_key) {
      begin_key(m, o, n);
    } else {
      if (n.kind == Node::Kind::nothing && n.line != o.key.line) n.line = o.key.line, n.column = o.key.column;
      if (!o.duplicate) o.node.keys.push_back(std::move(o.key)), o.node.items.push_back(std::move(n));
      o.has_key = false;
    }
  }
  void begin_key(const YAML::Mark& m, Open& o, const Node& n) {
    if (n.kind != Node::Kind::scalar) throw YAML::ParserException(m, kNoPlainName);
    if (n.text.size() > kMaxKey)
      throw YAML::ParserException(m, fmt::format("a key of more than {} characters", kMaxKey));
    o.key = {n.text, m.line + 1, m.column + 1};
    o.has_key = true;
    const auto [at, fresh] = o.line_of.try_emplace(n.text, m.line + 1);
    o.duplicate = !fresh;
    if (fresh || diagnostics_.size() >= kMaxDiagnostics) return;
    diagnostics_.push_back({Diagnostic::Severity::error, file_, m.line + 1, m.column + 1, path_of(n.text),
                            fmt::format("given twice, first in line {}", at->second)});
  }
  std::string path_of(const std::string& last) const {
    std::string p;
    for (const Open& o : open_) {
      if (o.node.kind == Node::Kind::list) {
        p += fmt::format("[{}]", o.node.items.size());
      } else {
        p += (p.empty() ? "" : ".") + (&o == &open_.back() ? last : o.key.name);
      }
    }
    return p;
  }

  std::string file_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
};

}  // namespace

namespace {

/// Tabs at the start of a line look like blanks and are the likeliest reason for a message that says nothing of them.
std::string tab_hint(const std::string& text, const YAML::Mark& m) {
  std::size_t at = 0;
  for (int l = 0; l < m.line && at != std::string::npos; ++l) at = text.find('\n', at) + 1;
  const std::size_t end = text.find_first_not_of(" \t", at);
  return text.substr(at, end - at).find('\t') == std::string::npos ? "" : "; this line begins with a tab, use blanks";
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// A bracket or quote that nothing closes.
struct Opened {
  char what = 0;  ///< 0: there is none
  int line = 0, column = 0;
};
/// The innermost one, by a look at the characters alone: block texts may deceive it.
Opened unclosed(const std::string& text) {
  std::vector<Opened> open;
  int line = 1, column = 0;
  char before = '\n', token = '\n';  // the character before, and the last one of the line that is no blank
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    ++column;
    const bool in_quote = !open.empty() && (open.back().what == '"' || open.back().what == '\'');
    const bool begins = std::string_view("\n[{,:-?").find(token) != std::string_view::npos;
    if (in_quote) {
      const bool escapes = open.back().what == '"' ? c == '\\' : text.compare(i, 2, "''") == 0;
      if (escapes && i + 1 < text.size() && text[i + 1] != '\n') {
        ++i, ++column;
      } else if (c == open.back().what) {
        open.pop_back();
      }
    } else if (c == '#' && (is_blank(before) || before == '\n')) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (begins ? c == '"' || c == '\'' || c == '[' || c == '{' : !open.empty() && (c == '[' || c == '{')) {
      open.push_back({c, line, column});
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
    before = text[i];
    if (before == '\n') {
      ++line, column = 0, token = '\n';
    } else if (!is_blank(before)) {
      token = before;
    }
  }
  return open.empty() ? Opened() : open.back();
}
std::string what_is(const Opened& o) {
  return fmt::format("not valid YAML: the {} that opens here is not closed",
                     o.what == '"' || o.what == '\'' ? "quote" : std::string(1, o.what));
}
bool has_quote_at(const Node& n, const Opened& o) {
  if (n.kind == Node::Kind::scalar) return n.quoted && n.line == o.line && n.column == o.column;
  return std::any_of(n.items.begin(), n.items.end(), [&](const Node& i) { return has_quote_at(i, o); });
}

}  // namespace

bool parse_yaml(const std::string& text, const std::string& file, Node& root, std::vector<Diagnostic>& diagnostics) {
  auto error = [&](const YAML::Mark& m, const std::string& what) {
    const bool known = !m.is_null() && m.line >= 0;
    diagnostics.push_back(
        {Diagnostic::Severity::error, file, known ? m.line + 1 : 0, known ? m.column + 1 : 0, {}, what});
  };
  TreeBuilder builder(file, diagnostics);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) {
      diagnostics.push_back({Diagnostic::Severity::error, file, 0, 0, {}, "the file is empty"});
      return false;
    }
    root = std::move(builder.root);
    // yaml-cpp lets a quote end with the text, and all that follows it is lost in it.
    if (const Opened o = unclosed(text); o.what != 0 && has_quote_at(root, o)) {
      diagnostics.push_back({Diagnostic::Severity::error, file, o.line, o.column, {}, what_is(o)});
      return false;
    }
    std::vector<Diagnostic> ignored;
    TreeBuilder second(file, ignored);
    if (parser.HandleNextDocument(second)) {
      diagnostics.push_back({Diagnostic::Severity::error,
                             file,
                             second.root.line,
                             second.root.column,
                             {},
                             "a second YAML document begins; a case is one document"});
      return false;
    }
    return true;
  } catch (const YAML::Exception& e) {
    // Of the end of the text, and of a bracket where a key should be.
    const bool is_of_end =
        e.msg.starts_with("end of ") || e.msg.starts_with("illegal EOF") || e.msg == TreeBuilder::kNoPlainName;
    if (const Opened o = unclosed(text); is_of_end && o.what != 0) {
      diagnostics.push_back({Diagnostic::Severity::error, file, o.line, o.column, {}, what_is(o)});
      return false;
    }
    const bool unfinished = e.msg.starts_with("end of ");  // better told from where it begins
    error(unfinished ? builder.innermost(e.mark) : e.mark, "not valid YAML: " + e.msg + tab_hint(text, e.mark));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    error(YAML::Mark::null_mark(), fmt::format("not valid YAML: {}", e.what()));
  }
  return false;
}

namespace {

/// Length of the UTF-8 character at s[i]; 0: broken.
std::size_t utf8_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(k < s.size() ? s[k] : 0); };
  const unsigned char c = byte(i);
  if (c < 0x80) return 1;
  const std::size_t n = c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
  for (std::size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  if ((c == 0xE0 && byte(i + 1) < 0xA0) || (c == 0xED && byte(i + 1) >= 0xA0) || (c == 0xF0 && byte(i + 1) < 0x90) ||
      (c == 0xF4 && byte(i + 1) >= 0x90))
    return 0;
  return n;
}

}  // namespace

bool normalise_text(std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  int line = 1, column = 1;
  auto refuse = [&](const std::string& what) {
    diagnostics.push_back({Diagnostic::Severity::error, file, line, column, {}, what});
    return false;
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return refuse("the text is UTF-16; save the file as UTF-8");
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t n = utf8_length(text, i);
    if (n == 0) return refuse("a byte that is not UTF-8; save the file as UTF-8");
    if (c == '\0' || (c > 0 && c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F)
      return refuse("a control character: this is not a text file");
    const bool end = c == '\n' || c == '\r';
    if (end) {
      out += '\n';
      i += c == '\r' && i + 1 < text.size() && text[i + 1] == '\n' ? 2 : 1;
      ++line, column = 1;
      continue;
    }
    out.append(text, i, n);
    i += n, ++column;
  }
  text = std::move(out);
  return true;
}

namespace {

struct Step {
  std::string name;       // of a key, or
  std::size_t index = 0;  // of a list
  bool is_index = false;
};

/// Splits "a.b[2]"; wall names hold dots, so the longest key that is there wins.
class PathWalker {
 public:
  PathWalker(Node& root, const std::string& path, int source) : node_(&root), path_(path), source_(source) {}
  /// Empty: node() is the place; else what is wrong.
  std::string walk() {
    while (at_ < path_.size()) {
      const std::string wrong = path_[at_] == '[' ? step_index() : step_key();
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  Node* node() { return node_; }

 private:
  std::string done() const { return path_.substr(0, at_); }
  std::string step_index() {
    const std::size_t close = path_.find(']', at_);
    std::size_t index = 0;
    const char* first = path_.data() + at_ + 1;
    const char* last = path_.data() + std::min(close, path_.size());
    const auto [end, error] = std::from_chars(first, last, index);
    if (close == std::string::npos || error != std::errc() || end != last)
      return fmt::format("{} is no list index", path_.substr(at_));
    if (node_->kind != Node::Kind::list) return fmt::format("{} is no list", at_ == 0 ? "the case" : done());
    if (index >= node_->items.size())
      return fmt::format("{} has {} item{}, counted from 0; there is no [{}]", done(), node_->items.size(),
                         node_->items.size() == 1 ? "" : "s", index);
    node_ = &node_->items[index];
    at_ = close + 1;
    if (at_ == path_.size() || path_[at_] == '[') return {};
    if (path_[at_] != '.' || at_ + 1 == path_.size()) return fmt::format("{} is no key", path_);
    ++at_;
    return {};
  }
  std::string step_key() {
    if (node_->kind == Node::Kind::list)
      return fmt::format("{} is a list; say which item, as in {}[0]", trimmed(), trimmed());
    if (node_->kind != Node::Kind::map) {  // "size.uniform=..." where a plain size stood
      Node fresh;
      fresh.kind = Node::Kind::map;
      fresh.source = source_;
      *node_ = std::move(fresh);
    }
    std::size_t best = std::string::npos, length = 0;
    for (std::size_t i = 0; i < node_->keys.size(); ++i) {
      const std::string& k = node_->keys[i].name;
      const std::size_t end = at_ + k.size();
      if (path_.compare(at_, k.size(), k) == 0 && (end == path_.size() || path_[end] == '.' || path_[end] == '[') &&
          k.size() > length)
        best = i, length = k.size();
    }
    if (best == std::string::npos) {
      length = std::min(path_.find_first_of(".[", at_), path_.size()) - at_;
      if (length == 0) return fmt::format("{} is no key", path_);
      node_->keys.push_back({path_.substr(at_, length), 0, 0});
      Node fresh;
      fresh.source = source_;
      node_->items.push_back(std::move(fresh));
      best = node_->items.size() - 1;
    }
    node_ = &node_->items[best];
    at_ += length;
    if (at_ < path_.size() && path_[at_] == '.') {
      if (++at_ == path_.size()) return fmt::format("{} is no key", path_);
    }
    return {};
  }
  std::string trimmed() const {
    std::string d = done();
    if (!d.empty() && d.back() == '.') d.pop_back();
    return d.empty() ? "the case" : d;
  }
  Node* node_;
  const std::string& path_;
  int source_;
  std::size_t at_ = 0;
};

void set_source(Node& n, int source) {
  n.source = source;
  n.line = n.column = 0;
  for (auto& k : n.keys) k.line = k.column = 0;
  for (Node& i : n.items) set_source(i, source);
}

}  // namespace

std::string apply_override(Node& root, const std::string& assignment, int source, const std::string& file,
                           std::vector<Diagnostic>& diagnostics) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) return "expected key=value, as in output.every=\"5 ms\"";
  std::string key = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  while (!key.empty() && key.back() == ' ') key.pop_back();
  std::vector<Diagnostic> found;
  Node value;
  if (!normalise_text(text, file, found) ||
      (text.find_first_not_of(" \n\t") != std::string::npos && !parse_yaml(text, file, value, found))) {
    for (Diagnostic& d : found) d.line = d.column = 0, d.key = key, diagnostics.push_back(d);
    return {};
  }
  for (Diagnostic& d : found) d.line = d.column = 0, d.key = key + "." + d.key, diagnostics.push_back(d);
  set_source(value, source);
  PathWalker walker(root, key, source);
  if (std::string wrong = walker.walk(); !wrong.empty()) return wrong;
  *walker.node() = std::move(value);
  return {};
}

namespace {

bool plain_is_safe(const std::string& t) {
  if (t.empty() || t == "~" || t.back() == ' ' || t.front() == ' ' || t.front() == '-') {
    // a leading minus is plain only before a digit or point
    if (t.size() < 2 || t[0] != '-' || !((t[1] >= '0' && t[1] <= '9') || t[1] == '.')) return false;
  }
  for (const char c : t)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
          std::string_view("_.+-^/ ").find(c) != std::string_view::npos))
      return false;
  return t.back() != ' ' && t != "null" && t != "Null" && t != "NULL";
}

std::string scalar_text(const Node& n) {
  if (n.kind == Node::Kind::nothing) return "~";
  if (!n.quoted && plain_is_safe(n.text)) return n.text;
  std::string s = "\"";
  for (const char c : n.text) {
    if (c == '"' || c == '\\') {
      s += '\\', s += c;
    } else if (c == '\n') {
      s += "\\n";
    } else if (c == '\t') {
      s += "\\t";
    } else {
      s += c;
    }
  }
  return s + "\"";
}

std::string key_text(const std::string& name) {
  Node n;
  n.kind = Node::Kind::scalar;
  n.text = name;
  return scalar_text(n);
}

bool is_leaf(const Node& n) { return n.items.empty(); }

void write_flow(const Node& n, std::string& out) {
  if (n.kind == Node::Kind::list || n.kind == Node::Kind::map) {
    const bool list = n.kind == Node::Kind::list;
    out += list ? '[' : '{';
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      if (i > 0) out += ", ";
      if (!list) out += key_text(n.keys[i].name) + ": ";
      write_flow(n.items[i], out);
    }
    out += list ? ']' : '}';
  } else {
    out += scalar_text(n);
  }
}

/// Lists of leaves go on one line, everything else gets lines of its own; a list's item begins behind its dash.
void write_block(const Node& n, std::size_t indent, bool behind_dash, std::string& out) {
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const Node& item = n.items[i];
    if (i > 0 || !behind_dash) out.append(indent, ' ');
    const bool list = n.kind == Node::Kind::list;
    out += list ? "-" : key_text(n.keys[i].name) + ":";
    const bool flat =
        is_leaf(item) || (item.kind == Node::Kind::list && std::all_of(item.items.begin(), item.items.end(), is_leaf));
    out += flat || list ? ' ' : '\n';
    if (flat) {
      write_flow(item, out);
      out += '\n';
    } else {
      write_block(item, indent + 2, list, out);
    }
  }
}

}  // namespace

std::string to_yaml(const Node& root) {
  std::string out;
  if (is_leaf(root)) {
    write_flow(root, out);
    return out + "\n";
  }
  write_block(root, 0, false, out);
  return out;
}

}  // namespace scree::io
