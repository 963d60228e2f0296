// node live.mjs LIBRARIES SCREE WORK: watches a run in headless Chromium by `scree view --live`: a slow one, which is
// stopped and let go on by signals, so that nothing here waits for a length of time. LIBRARIES is the folder in which
// viewer/package.json was installed; WORK is made anew, screenshots go to WORK/screenshots. The last line is 'ok'.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';

const [libraries, scree, work] = process.argv.slice(2, 5).map((p) => resolve(p));
const {chromium} = createRequire(join(libraries, 'package.json'))('playwright-core');
const browserPath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserPath) {
  console.log('skipped: no Chromium is installed (Debian: apt install chromium)');
  process.exit(77);
}
rmSync(work, {recursive: true, force: true});
const shots = join(work, 'screenshots');
mkdirSync(shots, {recursive: true});

// Grains come in while it goes on, so that tables grow; more frames than a first edition holds.
const theCase = `title: Poured in
seed: 3
gravity: [0, 0, -9.81 m/s^2]
materials:
  stone: {density: 2650 kg/m^3}
contacts:
  - between: [stone, stone]
    law: bloks3d
    kn: 130 kN/m
    ks: 102 kN/m
    friction_angle: 35 degree
    damping: {ratio: 0.1, sliding: 0.1, sticking: 0.9}
walls:
  box: {box: {min: [0, 0, 0], max: [20 cm, 20 cm, 60 cm], open: [z_max]}, material: stone}
particles:
  - {name: first, count: 3, shapes: [cube, grain14], size: {uniform: [2 cm, 3 cm]}, orientation: random, material: stone,
     place: {lattice: {above: box}}}
  - {name: feed, count: 150, shapes: [cube, sphere], size: 2 cm, material: stone, velocity: [0, 0, -1 m/s],
     place: {pour: {inside: {box: {min: [2 cm, 2 cm, 40 cm], max: [18 cm, 18 cm, 55 cm]}}, number_rate: 200 1/s}}}
stages:
  - {name: pour, duration: 0.8 s}
  - {name: settle, duration: 0.7 s}
output: {every: 10 ms}
`;
const frames = 151;
writeFileSync(join(work, 'case.yaml'), theCase);
const results = join(work, 'results');
mkdirSync(results);

const children = [];
function start(...args) {
  const child = spawn(scree, args, {cwd: work, stdio: ['ignore', 'pipe', 'inherit']});
  children.push(child);
  return child;
}
async function serve(...more) {
  const server = start('view', '--live', results, ...more);
  const [line] = await once(createInterface(server.stdout), 'line');
  return {server, url: line};
}
/** Waits until something holds, of which there is no event. */
async function until(what, holds, seconds = 60) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; ) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  assert.fail(`it never came: ${what}`);
}
const written = () => (existsSync(join(results, 'frames')) ? readdirSync(join(results, 'frames')).filter((f) => f.endsWith('.vtkhdf')).length : 0);
const rowsWritten = () => readFileSync(join(results, 'series.csv'), 'utf8').split('\n').length - 2;

/** Lets the run write so many frames, or more, and stops it; returns how many there are. */
async function goTo(run, count) {
  run.kill('SIGCONT');
  await until(`${count} frames`, () => written() >= count || run.exitCode !== null);
  run.kill('SIGSTOP');
  assert.equal(run.exitCode, null, 'the run is not over yet');
  return written();
}

const software = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', ...software]});

async function watch(page, faults) {
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/GL Driver Message/.test(m.text()) && faults.push(`console ${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => faults.push(`script: ${e.message}`));
}
const shows = (page, count) => page.waitForFunction((n) => window.scree?.store?.frames === n, count, {timeout: 60_000});
const state = (page) => page.evaluate(() => {
  const {store, player, view, plots} = window.scree;
  return {
    frames: store.frames,
    last: store.header.frames.at(-1),
    particles: store.header.particles,
    time: player.time,
    end: player.end,
    drawn: view.grains.batches.reduce((n, b) => n + Math.min(b.count, b.slots[0].place.count), 0),
    camera: view.camera.position.toArray(),
    target: view.controls.target.toArray(),
    colour: view.colour,
    rows: plots.series.time.length,
    plotted: plots.plots[0].chart.data[0].length,
    verdict: document.getElementById('verdict').textContent,
    live: document.getElementById('live').textContent,
    kind: document.getElementById('live').dataset.kind,
    reason: document.getElementById('live-reason').hidden ? '' : document.getElementById('live-reason').textContent,
    message: document.getElementById('message').hidden ? '' : document.getElementById('message').textContent,
  };
});
const close = (a, b) => a.every((v, k) => Math.abs(v - b[k]) < 1e-9);

async function test() {
  const {server, url} = await serve();
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  const page = await (await browser.newContext({viewport: {width: 1280, height: 860}})).newPage();
  const faults = [];
  await watch(page, faults);
  const foreign = [];
  page.on('request', (r) => !r.url().startsWith(url) && !/^(data|blob):/.test(r.url()) && foreign.push(r.url()));
  await page.goto(url);

  // No run yet.
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  assert.match(await page.locator('#message').textContent(), /has not written a frame yet/);
  assert.match(await page.locator('#live').textContent(), /waiting/);
  assert.equal(await page.locator('#verdict').isVisible(), false);
  await page.screenshot({path: join(shots, 'waiting.png')});

  // A run that begins now.
  const run = start('run', 'case.yaml', '--out', results, '--quiet', '--threads', '1');
  let count = await goTo(run, 3);
  await shows(page, count);
  let now = await state(page);
  assert.equal(now.time, now.end, 'follows the newest frame');
  assert.equal(now.message, '');
  assert.match(now.live, /^live · newest data .* old$/);
  assert.equal(now.verdict, 'Running');
  assert.equal(now.reason, '', 'a run that is stopped for a while has a process');
  const few = now.particles;

  // What the user chooses stays; the newest frame is followed.
  await page.evaluate(() => {
    const {view} = window.scree;
    view.controls.dispatchEvent({type: 'start'});
    view.camera.position.multiplyScalar(0.7);
    view.controls.update();
  });
  await page.selectOption('#colour', 'size');
  const {camera, target} = await state(page);
  count = await goTo(run, 60);
  await shows(page, count);
  await page.waitForFunction(() => window.scree.player.time === window.scree.player.end && window.scree.view.frameNow?.index === window.scree.store.frames - 1);
  now = await state(page);
  assert.ok(close(now.camera, camera) && close(now.target, target), 'the camera stays');
  assert.equal(now.colour, 'size');
  assert.equal(await page.locator('#facts dd').first().textContent(), String(now.last.n), 'grains of now, not of run.json');
  assert.ok(now.particles > few + 50, `grains have come: ${few}, then ${now.particles}`);
  assert.equal(now.drawn, now.last.n, 'all of the newest frame are drawn');
  const rows = rowsWritten();
  await page.waitForFunction((n) => window.scree.plots.series.time.length === n, rows);
  now = await state(page);
  assert.equal(now.plotted, rows, 'the plots have grown');
  await page.screenshot({path: join(shots, 'running.png')});
  await compare(page, count - 1);  // of a part behind the first one

  // Who has gone back stays there; a plot that was zoomed stays so.
  await page.evaluate(() => window.scree.player.seekFrame(5));
  const back = (await state(page)).time;
  await page.evaluate(() => {
    const plot = window.scree.plots.plots[0];
    plot.chart.setSelect({left: 20, top: 0, width: 60, height: 10});
    plot.chart.setScale('x', {min: 0.05, max: 0.2});
  });
  // Grown beyond a first edition: all is sent anew.
  const edition = await page.evaluate(() => window.scree.feed.edition);
  count = await goTo(run, 140);
  await shows(page, count);
  await page.waitForFunction((n) => window.scree.plots.series.time.length === n, rowsWritten());
  now = await state(page);
  assert.notEqual(await page.evaluate(() => window.scree.feed.edition), edition, 'another edition');
  assert.equal(now.time, back, 'the time that is looked at stays');
  assert.ok(close(now.camera, camera), 'the camera stays');
  assert.equal(now.colour, 'size');
  assert.deepEqual(await page.evaluate(() => {
    const {min, max} = window.scree.plots.plots[0].chart.scales.x;
    return [min, max];
  }), [0.05, 0.2]);
  await page.waitForFunction(() => window.scree.view.frameNow?.index === 5);
  await compare(page, 100);

  // To the end.
  await page.keyboard.press('End');
  run.kill('SIGCONT');
  await once(run, 'exit');
  assert.equal(run.exitCode, 0);
  await shows(page, frames);
  await page.waitForFunction(() => document.getElementById('verdict').textContent === 'Finished');
  await page.waitForFunction(() => window.scree.player.time === window.scree.player.end);
  now = await state(page);
  assert.equal(now.live, 'live · the run has ended');
  assert.equal(now.rows, rowsWritten());
  assert.ok(close(now.camera, camera), 'the camera stays');
  await page.screenshot({path: join(shots, 'finished.png')});

  // The folder goes and comes back.
  renameSync(results, `${results}.away`);
  await page.waitForFunction(() => /is gone/.test(document.getElementById('live-reason').textContent));
  assert.equal((await state(page)).frames, frames, 'what was there can still be looked at');
  renameSync(`${results}.away`, results);
  await page.waitForFunction(() => document.getElementById('live-reason').hidden);

  // A run in its place that is killed.
  const other = start('run', 'case.yaml', '--out', results, '--force', '--quiet', '--threads', '1');
  await until('it has begun', () => {
    try {
      return JSON.parse(readFileSync(join(results, 'run.json'), 'utf8')).verdict.status === 'running';
    } catch {
      return false;  // the old one has gone
    }
  });
  await goTo(other, 4);
  await page.waitForFunction(() => window.scree.store.frames < 20 && document.getElementById('verdict').textContent === 'Running');
  other.kill('SIGKILL');
  await page.waitForFunction(() => document.getElementById('verdict').textContent === 'Not running');
  assert.match((await state(page)).reason, /killed/);

  // The server goes. What the browser says of that is none of the page's faults.
  assert.deepEqual(faults, [], 'the page is quiet');
  assert.deepEqual(foreign, [], 'nothing is asked of anyone else');
  server.kill('SIGTERM');
  await once(server, 'exit');
  assert.equal(server.exitCode, 0);
  await page.waitForFunction(() => document.getElementById('live').textContent === 'not live');
  now = await state(page);
  assert.match(now.reason, /has not answered/);
  assert.equal(now.plotted, now.rows, 'plots of the other run');
  assert.ok(now.frames > 0);
  await page.evaluate(() => window.scree.player.seek(0));
  await page.screenshot({path: join(shots, 'gone.png')});

  // Another one under the same address.
  const again = await serve('--port', new URL(url).port);
  assert.equal(again.url, url);
  await page.waitForFunction(() => document.getElementById('live').textContent !== 'not live');
  again.server.kill('SIGINT');
  await once(again.server, 'exit');
  assert.equal(again.server.exitCode, 0);
}

/** What the live page decodes of a frame is what a page from disk has. */
async function compare(page, k) {
  const [live, saved] = [await page.evaluate(describe, k), await read(page, k)];
  assert.deepEqual({...live, place: []}, {...saved, place: []});
  // 1/500 of a grain's radius, as they are stored, twice.
  live.place.forEach((p, i) => p.forEach((v, a) => assert.ok(Math.abs(v - saved.place[i][a]) < 4e-5, `grain ${i}: ${v}, ${saved.place[i][a]}`)));
}
async function describe(k) {
  const {store} = window.scree;
  const f = await store.frame(k);
  const ids = Array.from(f.rows, (r) => store.particles.id[r]);
  const place = ids.map((_, i) => {
    const p = [0, 0, 0];
    store.place(f, i, p);
    return p;
  });
  return {time: f.row.time, contacts: f.row.contacts_total, ids, kinds: Array.from(f.rows, (r) => store.particles.shape[r]), place};
}
/** From a page that is written now. */
async function read(page, k) {
  const file = join(work, 'page.html');
  const writer = start('view', results, '--out', file);
  await once(writer, 'exit');
  const other = await page.context().newPage();
  await other.goto(`file://${file}`);
  await other.waitForFunction(() => document.documentElement.dataset.ready);
  const said = await other.evaluate(describe, k);
  await other.close();
  return said;
}

try {
  await test();
  console.log('ok');
} catch (e) {
  console.error(e);
  for (const p of browser.contexts().flatMap((c) => c.pages())) console.error('the page:', await state(p).catch(String));
  process.exitCode = 1;
} finally {
  await browser.close();
  for (const c of children) if (c.exitCode === null && c.signalCode === null) c.kill('SIGKILL');
}
