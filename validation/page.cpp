// The page of `scree validate`: HTML and SVG, nothing else, so that it opens anywhere and prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/results/build_info.h"
#include "io/results/report_encode.h"
#include "validation/validation.h"

namespace scree::validation {

namespace {

std::string number(double x) { return fmt::format("{:.6g}", x); }

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(double x) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  /// A span that can be divided by, a little wider than the values.
  void widen() {
    if (!(low <= high)) low = 0, high = 1;
    const double room = high > low ? 0.04 * (high - low) : std::max(0.5 * std::abs(high), 0.5);
    low -= room, high += room;
  }
  double at(double x) const { return (x - low) / (high - low); }
};

/// Round values, at most seven, that lie within.
std::vector<double> ticks(const Range& r) {
  double step = std::pow(10, std::floor(std::log10((r.high - r.low) / 5)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if ((r.high - r.low) / (step * factor) <= 7) {
      step *= factor;
      break;
    }
  }
  std::vector<double> out;
  const auto first = static_cast<long>(std::ceil(r.low / step)), last = static_cast<long>(std::floor(r.high / step));
  for (long k = first; k <= last; ++k) out.push_back(static_cast<double>(k) * step);
  return out;
}

constexpr double kWidth = 560, kHeight = 320, kLeft = 78, kRight = 14, kTop = 14, kBottom = 44;
constexpr std::array<const char*, 4> kColours{"#b4532a", "#2f6f9f", "#5a8f3d", "#a9822b"};

std::string svg(const Plot& p) {
  Range x, y;
  for (const Curve& c : p.curves) {
    for (const double v : c.x) x.take(v);
    for (const double v : c.y) y.take(v);
  }
  x.widen(), y.widen();
  const auto px = [&](double v) { return kLeft + x.at(v) * (kWidth - kLeft - kRight); };
  const auto py = [&](double v) { return kHeight - kBottom - y.at(v) * (kHeight - kTop - kBottom); };
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, kHeight,
                                io::escape_html(p.title));
  for (const double t : ticks(x)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        px(t), kTop, kHeight - kBottom, kHeight - kBottom + 16, number(t));
  }
  for (const double t : ticks(y)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        py(t), kLeft, kWidth - kRight, kLeft - 6, py(t) + 4, number(t));
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kWidth - kRight) / 2,
                     kHeight - 8, io::escape_html(p.x_label));
  out += fmt::format("<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (kTop + kHeight - kBottom) / 2, io::escape_html(p.y_label));
  std::size_t colour = 0;
  std::string legend;
  for (const Curve& c : p.curves) {
    const std::string stroke = c.is_reference ? "#888" : kColours[colour++ % kColours.size()];
    if (c.as_points) {
      for (std::size_t k = 0; k < c.x.size(); ++k)
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", px(c.x[k]), py(c.y[k]),
                           stroke);
    } else {
      std::string d;
      bool pen = false;
      for (std::size_t k = 0; k < c.x.size(); ++k) {
        if (!std::isfinite(c.x[k]) || !std::isfinite(c.y[k])) {
          pen = false;
          continue;
        }
        d += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", px(c.x[k]), py(c.y[k]));
        pen = true;
      }
      out += fmt::format("<path d=\"{}\" stroke=\"{}\" class=\"{}\"/>\n", d, stroke,
                         c.is_reference ? "reference" : "computed");
    }
    legend += fmt::format("<span><i style=\"background:{}\"></i>{}</span> ", stroke, io::escape_html(c.name));
  }
  out += "</svg>\n";
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}<p class=\"legend\">{}</p></figure>\n",
                     io::escape_html(p.title), out, legend);
}

std::string verdict(bool passes) { return passes ? "<b class=\"pass\">holds</b>" : "<b class=\"fail\">fails</b>"; }

std::string table(const Outcome& o) {
  std::string out =
      "<table><tr><th>quantity</th><th>unit</th><th>computed</th><th>reference</th><th>deviation</th><th>allowed</"
      "th><th></th></tr>\n";
  for (const Check& c : o.checks) {
    if (c.kind == Check::Kind::reported && c.passes()) {
      const bool compares = c.reference != 0;
      out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td></td><td>reported</td></tr>\n",
                         io::escape_html(c.quantity), io::escape_html(c.unit), number(c.computed),
                         compares ? number(c.reference) : "", compares ? fmt::format("{:.2g} %", 100 * c.error()) : "");
      continue;
    }
    const bool equal = c.kind == Check::Kind::equal;
    const std::string deviation = equal ? fmt::format("{:.2g} %", 100 * c.error()) : "";
    const std::string allowed =
        equal ? fmt::format("{:.2g} %", 100 * c.tolerance)
              : (c.kind == Check::Kind::at_most ? "at most the reference" : "at least the reference");
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       io::escape_html(c.quantity), io::escape_html(c.unit), number(c.computed), number(c.reference),
                       deviation, allowed, verdict(c.passes()));
  }
  return out + "</table>\n";
}

constexpr const char* kStyle = R"(
body{font:15px/1.45 system-ui,sans-serif;color:#222;background:#f6f4ef;margin:0}main{max-width:1180px;margin:0 auto;padding:24px}
h1{font-size:24px}section{background:#fff;border:1px solid #e2ddd2;border-radius:8px;padding:16px 20px;margin:18px 0}h2{font-size:18px;margin:0 0 4px}
table{border-collapse:collapse;width:100%;margin:10px 0}th,td{text-align:left;padding:3px 10px 3px 0;border-bottom:1px solid #eee8dc;vertical-align:top}th{font-weight:600;color:#666}
.pass{color:#2e7d4f}.fail{color:#b3261e}.source{color:#666;margin:0 0 8px}.plots{display:flex;flex-wrap:wrap;gap:16px}figure{margin:0;flex:1 1 440px;max-width:570px}figcaption{font-weight:600}
svg{width:100%;height:auto}svg text{font-size:12px;fill:#555}.grid{stroke:#ebe6db}path{fill:none;stroke-width:1.8}.reference{stroke-width:5;opacity:.45}.legend{margin:0;color:#444}.legend i{display:inline-block;width:18px;height:4px;margin:0 5px 3px 8px}
pre{background:#f6f4ef;padding:10px;overflow:auto;font-size:13px}a{color:#8a3d1c}
)";

}  // namespace

std::string page(const std::vector<std::pair<const PublishedCase*, Outcome>>& outcomes) {
  std::size_t passed = 0;
  for (const auto& [c, o] : outcomes) passed += o.passes();
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>Scree: validation</title><style>{}</style></head><body><main>\n",
      kStyle);
  out += fmt::format(
      "<h1>Validation: {} of {} cases hold</h1>\n<p>Scree {} ({}). Each case is run by the engine from the case file "
      "that is shown with it.</p>\n",
      passed, outcomes.size(), io::escape_html(io::kBuildInfo.version), io::escape_html(io::kBuildInfo.commit));
  out +=
      "<section><table><tr><th>case</th><th>reference</th><th>largest deviation over what is "
      "allowed</th><th>seconds</th><th></th></tr>\n";
  for (const auto& [c, o] : outcomes) {
    double worst = 0;
    for (const Check& k : o.checks) worst = std::max(worst, k.kind == Check::Kind::equal ? k.error() / k.tolerance : 0);
    out += fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{}</td></tr>\n",
                       c->name, io::escape_html(c->title), io::escape_html(c->reference),
                       o.fault.empty() ? fmt::format("{:.2g}", worst) : "", o.seconds, verdict(o.passes()));
  }
  out += "</table></section>\n";
  for (const auto& [c, o] : outcomes) {
    out += fmt::format("<section id=\"{}\"><h2>{} {}</h2><p class=\"source\">{} · <code>scree validate {}</code></p>\n",
                       c->name, io::escape_html(c->title), verdict(o.passes()), io::escape_html(c->reference), c->name);
    if (!o.fault.empty()) out += fmt::format("<p class=\"fail\">{}</p>\n", io::escape_html(o.fault));
    if (!o.checks.empty()) out += table(o);
    for (const std::string& n : o.notes) out += fmt::format("<p>{}</p>\n", io::escape_html(n));
    out += "<div class=\"plots\">\n";
    for (const Plot& p : o.plots) out += svg(p);
    out += "</div>\n";
    for (const std::string& f : c->files)
      out += fmt::format("<details><summary>{}.yaml</summary><pre>{}</pre></details>\n", io::escape_html(f),
                         io::escape_html(case_text(f)));
    out += "</section>\n";
  }
  return out + "</main></body></html>\n";
}

}  // namespace scree::validation
