// node build.mjs OUT: bundles src/ beside it into OUT/report.html, and the same bytes as C++ in OUT/report_template.cpp.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import * as esbuild from 'esbuild';

const source = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? 'dist');
mkdirSync(out, {recursive: true});

async function bundle(entry, options) {
  const result = await esbuild.build({
    entryPoints: [join(source, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ['es2022', 'chrome105', 'firefox113', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  return result.outputFiles[0].text;
}

function licence(name) {
  return `${name}\n${readFileSync(join(source, 'node_modules', name, 'LICENSE'), 'utf8').trim()}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

// </script> inside a script ends it, whatever the quotes around it.
const script = (await bundle('main.ts', {format: 'iife'})).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundle('style.css', {loader: {'.css': 'css'}});
const hash = createHash('sha256').update(script).digest('base64');
// Nothing but this very script runs, and nothing is fetched from anywhere; of a live page from its own server alone.
const policy = `default-src 'none'; connect-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;

const parts = {
  policy,
  style,
  script,
  licences: ['three', 'uplot'].map(licence).join('\n\n'),
};
let html = readFileSync(join(source, 'src', 'index.html'), 'utf8');
html = html.replace(/\{\{(\w+)\}\}/g, (_, name) => {
  if (!(name in parts)) throw new Error(`src/index.html asks for {{${name}}}, which build.mjs does not make`);
  return parts[name];
});
for (const mark of ['<!--scree-title-->', '<!--scree-data-->', "connect-src 'none'"]) {
  if (html.split(mark).length !== 2) throw new Error(`${mark} must stand exactly once in the page`);
}
writeFileSync(join(out, 'report.html'), html);

const bytes = Buffer.from(html, 'utf8');
const octal = (b) => '\\' + b.toString(8).padStart(3, '0');
const plain = (b) => b >= 32 && b < 127 && b !== 34 && b !== 92 && b !== 63;  // no quote, backslash or trigraph
let text = '';
for (let i = 0; i < bytes.length; i += 4096) {
  text += '    "' + Array.from(bytes.subarray(i, i + 4096), (b) => (plain(b) ? String.fromCharCode(b) : octal(b))).join('') + '"\n';
}
writeFileSync(join(out, 'report_template.cpp'),
  `#include "io/results/report_template.h"\nnamespace scree::io {\nstd::string_view report_template() {\n  static constexpr char kPage[] =\n${text};\n` +
  `  return {kPage, sizeof kPage - 1};\n}\n}  // namespace scree::io\n`);
console.log(`report page: ${(bytes.length / 1024).toFixed(0)} KiB (script ${(script.length / 1024).toFixed(0)}, style ${(style.length / 1024).toFixed(0)})`);
