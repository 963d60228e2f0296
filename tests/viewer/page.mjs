// node page.mjs LIBRARIES FIXTURES [large|spheres]: opens report pages in headless Chromium and looks at what they do.
// LIBRARIES is the folder in which viewer/package.json was installed, FIXTURES where the fixture program
// (SCREE_FIXTURE_PROGRAM, if set) puts its results folders; screenshots go to FIXTURES/screenshots. The last line is
// 'ok'. With 'large' or 'spheres', measures the page of 30 000 grains or many spheres instead; the name of a test runs
// that one alone.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {inflateSync} from 'node:zlib';

const [libraries, fixtures, mode] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4] ?? 'small'];
const {chromium} = createRequire(join(libraries, 'package.json'))('playwright-core');
const browserPath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserPath) {
  console.log('skipped: no Chromium is installed (Debian: apt install chromium)');
  process.exit(77);
}
const shots = join(fixtures, 'screenshots');
mkdirSync(shots, {recursive: true});
if (process.env.SCREE_FIXTURE_PROGRAM) {
  execFileSync(process.env.SCREE_FIXTURE_PROGRAM, ['--gtest_filter=ReportFixture.*', '--gtest_brief=1'], {env: {...process.env, SCREE_FIXTURES: fixtures}, stdio: 'inherit'});
}

const software = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', ...software]});

/** Opens a page; every console error, script error or request for anything but the file itself is a fault. */
async function open(name, {width = 1280, height = 800, scheme = 'light', init, ready = 'true'} = {}) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: scheme});
  const page = await context.newPage();
  const faults = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/GL Driver Message/.test(m.text()) && faults.push(`console ${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => faults.push(`script: ${e.message}`));
  page.on('request', (r) => !/^(file|data|blob):/.test(r.url()) && faults.push(`request: ${r.url()}`));
  if (init) await page.addInitScript(init);
  const started = Date.now();
  await page.goto(`file://${join(fixtures, name, 'report.html')}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready, null, {timeout: 90_000});
  assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), ready, `${name}: ${await page.locator('#message').textContent()}`);
  return {page, faults, openMs: Date.now() - started, close: async () => {
    assert.deepEqual(faults, [], `${name}: the page is quiet`);
    await context.close();
  }};
}

/** Pixels of a PNG that Chromium wrote (8 bits, RGB or RGBA, not interlaced). */
function decodePng(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const data = Buffer.alloc(stride * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; ++x) {
      const a = x >= channels ? data[y * stride + x - channels] : 0;
      const b = y > 0 ? data[(y - 1) * stride + x] : 0;
      const c = x >= channels && y > 0 ? data[(y - 1) * stride + x - channels] : 0;
      const p = a + b - c;
      const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      const predicted = [0, a, b, (a + b) >> 1, paeth][filter];
      data[y * stride + x] = (raw[y * (stride + 1) + 1 + x] + predicted) & 255;
    }
  }
  return {width, height, channels, data};
}

/** What is drawn: the view alone, without what lies over it. */
async function look(page) {
  await page.evaluate(() => {
    const {view} = window.scree;
    return new Promise((done) => {
      view.invalidate();
      requestAnimationFrame(() => requestAnimationFrame(done));
    });
  });
  await page.waitForFunction(() => window.scree.view.pace.drawn === 1);  // no longer thinned
  await page.addStyleTag({content: '.looking .overlay, .looking .start, .looking .corner { visibility: hidden }'});
  await page.evaluate(() => {
    document.activeElement?.blur();  // no focus ring
    document.body.classList.add('looking');
  });
  const png = await page.locator('#view').screenshot();
  await page.evaluate(() => document.body.classList.remove('looking'));
  return decodePng(png);
}
/** Share of the pixels with a colour (the background and the walls are grey). */
function coloured({data, channels}) {
  let n = 0;
  for (let i = 0; i < data.length; i += channels) {
    if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 28) ++n;
  }
  return n / (data.length / channels);
}
function changed(a, b) {
  let n = 0;
  for (let i = 0; i < a.data.length; i += a.channels) {
    if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 40) ++n;
  }
  return n / (a.data.length / a.channels);
}
const seek = (page, t) => page.evaluate((time) => window.scree.player.seek(time), t);
const shot = (page, name) => page.screenshot({path: join(shots, `${name}.png`)});

async function testSmall() {
  const {page, close} = await open('small', {width: 1080, height: 680});
  const first = await look(page);
  assert.ok(coloured(first) > 0.01, `grains are seen: ${(100 * coloured(first)).toFixed(2)} % of the pixels`);
  await page.evaluate(() => (window.scree.view.grains.group.visible = false));
  const empty = await look(page);
  assert.ok(coloured(empty) < 0.1 * coloured(first), 'what is coloured are the grains');
  await page.evaluate(() => (window.scree.view.grains.group.visible = true));

  await page.locator('#start').click();
  await page.waitForFunction(() => window.scree.player.time > 0.05, null, {timeout: 20_000});
  await page.keyboard.press('Space');
  const stopped = await page.evaluate(() => window.scree.player.time);
  assert.ok(changed(first, await look(page)) > 0.005, 'playing moves the grains');
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.scree.player.time), stopped, 'the space key stops the playback');

  // Between two frames: interpolated, or not.
  await seek(page, 0.0501);
  const early = await look(page);
  await seek(page, 0.0632);
  assert.ok(changed(early, await look(page)) > 0.002, 'poses are interpolated');
  await page.locator('#smooth').click();
  await seek(page, 0.0501);
  const a = await look(page);
  await seek(page, 0.0632);
  assert.ok(changed(a, await look(page)) < 1e-4, 'no interpolation where it is off');
  await page.locator('#smooth').click();

  // Scrub bar, arrows, clock.
  const bar = await page.locator('#scrub').boundingBox();
  await page.mouse.click(bar.x + 0.8 * bar.width, bar.y + bar.height / 2);
  const at = await page.evaluate(() => window.scree.player.time);
  assert.ok(Math.abs(at - 0.8) < 0.03, `the scrub bar goes to 0.8 s: ${at}`);
  await page.waitForFunction(() => document.querySelector('#clock').textContent.startsWith('0.8') || document.querySelector('#clock').textContent.startsWith('0.79'));
  await page.locator('#canvas').focus();
  const k = await page.evaluate(() => window.scree.player.index);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => window.scree.player.index), k + 1);
  await page.keyboard.press('Home');
  assert.equal(await page.evaluate(() => window.scree.player.index), 0);

  // Grains that come and go, walls that go.
  const counts = async (t) => {
    await seek(page, t);
    return page.evaluate(() => ({
      drawn: window.scree.view.grains.group.children.reduce((n, m) => n + m.geometry.instanceCount, 0),
      walls: window.scree.store.header.frames[window.scree.player.index].walls.length,
      sheets: window.scree.view.walls.group.children.filter((o) => o.type === 'Group' && o.visible).length,
    }));
  };
  const before = await counts(0.2);
  const after = await counts(0.7);
  assert.deepEqual([before.walls, after.walls, before.sheets, after.sheets], [5, 4, 5, 4]);
  assert.equal(before.drawn, 400 - 6);
  assert.equal(after.drawn, 400 - 10);

  // Colours and their legends.
  const legends = new Set();
  const looks = [];
  for (const colour of ['speed', 'size', 'shape', 'material', 'id']) {
    await page.selectOption('#colour', colour);
    legends.add(await page.locator('#legend').textContent());
    looks.push(await look(page));
    assert.equal(await page.locator('#legend').getAttribute('data-mode'), colour);
  }
  assert.equal(legends.size, 5, 'every colouring has its legend');
  for (let i = 1; i < looks.length; ++i) assert.ok(changed(looks[i - 1], looks[i]) > 0.005, 'the colours change');
  assert.match(await page.locator('#legend').textContent(), /Id/);
  await page.selectOption('#colour', 'shape');
  assert.match(await page.locator('#legend').textContent(), /tetrahedron.*pyramid.*cube.*grain/);
  await page.selectOption('#colour', 'material');
  assert.match(await page.locator('#legend').textContent(), /stone.*brick/, 'materials are named as in the case');

  // Forces.
  const without = await look(page);
  for (const forces of ['network', 'vectors']) {
    await page.selectOption('#forces', forces);
    assert.ok(changed(without, await look(page)) > 0.01, `${forces} of forces is drawn`);
    assert.ok(await page.evaluate(() => window.scree.view.forces.mesh.geometry.instanceCount) > 200);
    assert.match(await page.locator('#force-legend').textContent(), /Contact force.*N/);
    await shot(page, `forces-${forces}`);
  }
  await page.selectOption('#forces', 'off');

  // A click on a grain: its middle is where it is picked.
  const spot = await page.evaluate(() => {
    const {view} = window.scree;
    const rect = document.querySelector('#canvas').getBoundingClientRect();
    for (let y = 0.95; y > 0.3; y -= 0.02) {
      for (let x = 0.2; x < 0.8; x += 0.02) {
        const at = [Math.round(rect.left + x * rect.width), Math.round(rect.top + y * rect.height)];
        if (document.elementFromPoint(...at)?.id !== 'canvas') continue;
        const row = view.pickAt(...at);
        if (row >= 0) return [...at, row];
      }
    }
    return null;
  });
  assert.ok(spot, 'a grain can be hit');
  await page.mouse.click(spot[0], spot[1]);
  const card = await page.locator('#card').textContent();
  assert.match(card, new RegExp(`Grain ${spot[2]}.*shape.*size.*speed`));
  assert.equal(await page.evaluate(() => window.scree.view.selected), spot[2]);
  await shot(page, 'picked');
  await page.locator('#card button').click();

  // Turning and resetting the view.
  const straight = await look(page);
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 40 + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 160, box.y + box.height / 2, {steps: 5});
  await page.mouse.up();
  await page.waitForTimeout(600);
  assert.ok(changed(straight, await look(page)) > 0.01, 'dragging turns the view');
  await page.keyboard.press('r');
  await page.waitForTimeout(600);
  assert.ok(changed(straight, await look(page)) < 0.002, 'R takes it back');

  // Plots.
  assert.equal(await page.evaluate(() => window.scree.plots.count), 7);
  await page.waitForFunction(() => document.querySelectorAll('#panel-plots canvas').length === 7);
  // Where the energy is: parts on each other, under a line of what was given; a part that is hidden is left out below.
  const energy = page.locator('.plot').filter({hasText: 'Where the energy is'});
  assert.equal(
    (await energy.locator('.key').allTextContents())
      .map((t) => t.replace(/[−\d.e]+ [mµn]?J$/, '').replace(/0 J$/, ''))
      .join('; '),
    'lost, friction; elastic; potential above its least; motion; all that was given; unclosed',
  );
  await energy.scrollIntoViewIfNeeded();
  const stacked = await energy.screenshot();
  await energy.locator('.key').first().click();
  await page.waitForTimeout(200);
  assert.ok(changed(decodePng(stacked), decodePng(await energy.screenshot())) > 0.01, 'the others come down');
  await energy.locator('.key').first().click();
  const chooser = page.locator('.chooser .chip', {hasText: 'force box.z_min z'});
  await chooser.click();
  assert.equal(await page.evaluate(() => window.scree.plots.count), 8, 'other columns can be chosen');
  await seek(page, 0.5);
  // The plots' line stands at the time of the playback.
  await page.waitForFunction(() => {
    const now = document.querySelector('.plot-now').getBoundingClientRect();
    const over = document.querySelector('.u-over').getBoundingClientRect();
    return Math.abs((now.left - over.left) / over.width - 0.5) < 0.01;
  });
  await page.locator('.u-over').first().scrollIntoViewIfNeeded();
  const over = await page.locator('.u-over').first().boundingBox();
  await page.mouse.click(over.x + 0.25 * over.width, over.y + over.height / 2);
  await page.waitForFunction(() => Math.abs(window.scree.player.time - 0.25) < 0.02);  // a click in a plot goes to its time
  await seek(page, 0.62);
  await shot(page, 'light');

  // Tabs.
  await page.locator('#tab-run').click();
  assert.match(await page.locator('#panel-run').textContent(), /0\.1\.0.*8899aabbccddeeff/s);
  assert.match(await page.locator('#panel-run').textContent(), /117\.7 MiB|118 MiB/);
  const sessions = page.locator('#panel-run table.sessions');
  assert.deepEqual(
    (await sessions.locator('tr').allInnerTexts()).map((t) => t.replaceAll('\u202f', ' ')),
    [
      'Started\tSteps\tThreads\tTook\tParticle-steps/s',
      '2026-01-31 12:34:56 UTC\t0 – 20 000\t2\t21.5 s\t400 000',
      '2026-02-01 08:00:00 UTC\t20 000 – …\t1\t–\t–',
    ],
  );
  await shot(page, 'provenance');
  await page.locator('#tab-stages').click();
  assert.match(await page.locator('#panel-stages').textContent(), /fill.*release/s);
  const spans = await page.locator('#panel-stages table').first().locator('tbody tr').allInnerTexts();
  assert.deepEqual(spans.map((s) => s.split('\t').at(-1)), ['rest: kinetic energy below 1e-09 J at t = 0.5 s', '–']);  // the second goes on
  const measured = page.locator('#panel-stages table.measured');
  assert.equal(await measured.count(), 1);  // the second stage measures nothing
  assert.deepEqual(await measured.locator('tbody tr').allInnerTexts(), ['max_speed [m/s]\t0.75\t0.125\t2.375\t0.25', 'bed void_ratio [1]\t–\t–\t–\t–']);
  await page.locator('#panel-stages .link', {hasText: 'release'}).click();
  assert.equal(await page.evaluate(() => window.scree.player.time), 0.5);
  await page.locator('#tab-case').click();
  assert.match(await page.locator('#panel-case').textContent(), /gravity: \[0, 0, -9\.81 m\/s\^2\]/);
  assert.ok(await page.locator('#panel-case .k').count() > 5);
  await shot(page, 'case');
  await close();
}

/** What was packed comes out again, to the digits that the format keeps; frames in an order that jumps over key frames. */
async function testDecoding() {
  const {page, close} = await open('small');
  const expected = JSON.parse(readFileSync(join(fixtures, 'small', 'expected.json'), 'utf8'));
  for (const e of [...expected.slice(3), ...expected.slice(0, 3)]) {
    const found = await page.evaluate(async (k) => {
      const {store} = window.scree;
      const {header, particles} = store;
      const f = await store.frame(k);
      const grains = Array.from(f.rows, (row, i) => {
        const p = [0, 0, 0];
        const q = [0, 0, 0, 0];
        store.place(f, i, p);
        store.turn(f, i, q);
        return [particles.id[row], particles.shape[row], particles.material[row], particles.size[row], ...p, ...q, store.speed(f, i)];
      });
      const contacts = Array.from(f.contactA, (row, i) => {
        const code = f.contactB[i];
        const n = header.walls.length;
        const b = code < n ? -1 - header.walls[code].id : particles.id[code - n];
        const p = [0, 0, 0];
        store.place(f, store.find(f, row), p);
        const o = store.contactOffset(f, i);
        const force = store.contactForce(f, i);
        return [particles.id[row], b, ...store.contactDirection(f, i).map((d) => d * force), ...p.map((x, axis) => x + o[axis])];
      });
      return {time: header.frames[k].time, speed: header.speed, grains, contacts};
    }, e.frame);
    assert.equal(found.time, e.time);
    assert.equal(found.grains.length, e.grains.length);
    const byId = new Map(found.grains.map((g) => [g[0], g]));
    for (const g of e.grains) {
      const h = byId.get(g[0]);
      assert.deepEqual([h[1], h[2]], [g[1], g[2]]);
      assert.ok(Math.abs(h[3] / g[3] - 1) < 1e-6, 'size');
      for (let k = 4; k < 7; ++k) assert.ok(Math.abs(h[k] - g[k]) < 3e-5, `frame ${e.frame}, grain ${g[0]}: position ${h.slice(4, 7)}, not ${g.slice(4, 7)}`);
      const dot = Math.abs(g[7] * h[7] + g[8] * h[8] + g[9] * h[9] + g[10] * h[10]);
      assert.ok(2 * Math.acos(Math.min(1, dot)) < 0.0015, `frame ${e.frame}, grain ${g[0]}: turned ${h.slice(7, 11)}, not ${g.slice(7, 11)}`);
      assert.ok(Math.abs(Math.sqrt(h[11]) - Math.sqrt(g[11])) < (0.51 / 255) * Math.sqrt(found.speed), `frame ${e.frame}, grain ${g[0]}: speed ${h[11]}, not ${g[11]}`);
    }
    const pairs = new Map(found.contacts.map((c) => [`${c[0]} ${c[1]}`, c]));
    assert.equal(found.contacts.length, e.contacts.length);
    for (const c of e.contacts) {
      const d = pairs.get(`${c[0]} ${c[1]}`);
      const size = Math.hypot(c[2], c[3], c[4]);
      for (let k = 2; k < 5; ++k) assert.ok(Math.abs(d[k] - c[k]) < 0.02 * size + 1e-3, `contact ${c}: ${d}`);
      for (let k = 5; k < 8; ++k) assert.ok(Math.abs(d[k] - c[k]) < 3e-4, `contact point ${c}: ${d}`);
    }
  }
  await close();
}

/** Bonds and fragments come out as they went in, are drawn, and can be chosen only where there are some. */
async function testBonds() {
  const {page, close} = await open('bonded');
  const expected = JSON.parse(readFileSync(join(fixtures, 'bonded', 'expected.json'), 'utf8'));
  for (const e of [...expected.slice(3), ...expected.slice(0, 3)]) {
    const found = await page.evaluate(async (k) => {
      const {store} = window.scree;
      const {id} = store.particles;
      const f = await store.frame(k);
      return {
        bonds: Array.from(f.bondA, (a, i) => [...[id[a], id[f.bondB[i]]].sort((x, y) => x - y), f.bondDamage[i] / 255]),
        fragments: Array.from(f.rows, (row, i) => [id[row], id[f.fragment[i]]]),
      };
    }, e.frame);
    const sorted = (list) => list.slice().sort((x, y) => x[0] - y[0]);
    assert.ok(e.bonds.length > 100);
    assert.deepEqual(sorted(found.bonds).map((b) => b.slice(0, 2)), sorted(e.bonds).map((b) => b.slice(0, 2)), `bonds of frame ${e.frame}`);
    sorted(found.bonds).forEach((b, i) => assert.ok(Math.abs(b[2] - sorted(e.bonds)[i][2]) < 0.51 / 255, 'damage'));
    assert.deepEqual(sorted(found.fragments), sorted(e.fragments), `fragments of frame ${e.frame}`);
  }
  await page.selectOption('#colour', 'fragment');
  await seek(page, 0.4);
  const grains = await look(page);
  await page.selectOption('#forces', 'bonds');
  assert.match(await page.locator('#force-legend').textContent(), /damage/);
  const early = await look(page);
  assert.ok(changed(grains, early) > 0.02, 'bonds are drawn');
  assert.equal(await page.evaluate(() => window.scree.view.forces.mesh.geometry.instanceCount), await page.evaluate(() => window.scree.store.header.frames[12].bonds));
  await shot(page, 'bonds');
  await close();
  const other = await open('small');
  assert.equal(await other.page.locator('#forces option[value=bonds]').count(), 0);
  assert.equal(await other.page.locator('#colour option[value=fragment]').count(), 0);
  await other.close();
}

/** What is drawn are the poses of the time shown, whatever was drawn before. */
async function testDrawnPoses() {
  const {page, close} = await open('small');
  for (const t of [0.05, 0.06, 0.0666, 0.085, 0.12, 0.13, 0.4, 0.49, 0.51, 0.75, 0.74, 0.05, 1, 0.62]) {
    await seek(page, t);
    const worst = await page.evaluate(async (time) => {
      const {store, view} = window.scree;
      const {k, mix} = store.at(time);
      const a = await store.frame(k);
      const b = await store.frame(Math.min(k + 1, store.frames - 1));
      const place = view.camera.position.clone();
      const turn = view.camera.quaternion.clone();
      let far = 0;
      let turned = 0;
      a.rows.forEach((row, i) => {
        const [p, q, r] = [[0, 0, 0], [0, 0, 0], [0, 0, 0, 0]];
        store.place(a, i, p);
        const j = store.find(b, row);
        j < 0 ? store.place(a, i, q) : store.place(b, j, q);
        if (!view.grains.poseNow(row, place, turn)) far = Infinity;
        far = Math.max(far, Math.hypot(...['x', 'y', 'z'].map((c, axis) => place[c] - (p[axis] + (q[axis] - p[axis]) * mix))));
        store.turn(mix < 0.5 || j < 0 ? a : b, mix < 0.5 || j < 0 ? i : j, r);
        turned = Math.max(turned, 2 * Math.acos(Math.min(1, Math.abs(r[0] * turn.x + r[1] * turn.y + r[2] * turn.z + r[3] * turn.w))));
      });
      return {far, turned};
    }, t);
    assert.ok(worst.far < 1e-6, `at ${t} s a grain is drawn ${worst.far} m off`);
    assert.ok(worst.turned < 0.3, `at ${t} s a grain is turned by ${worst.turned} too much`);  // half a frame of the fastest spin is 0.2
  }
  await close();
}

async function testLooks() {
  for (const [name, options] of [['dark', {scheme: 'dark'}], ['phone', {width: 390, height: 844}], ['phone-dark', {width: 390, height: 844, scheme: 'dark'}]]) {
    const {page, close} = await open('small', options);
    await seek(page, 0.7);
    assert.ok(coloured(await look(page)) > 0.004, `${name}: grains are seen`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(wide, `${name}: nothing sticks out sideways`);
    await shot(page, name);
    await close();
  }
}

/** No bars to scroll inside the tabs, no legend over a small scene; a touch takes the start button away. */
async function testWindows() {
  for (const [width, height, small] of [[1280, 900, false], [1000, 700, false], [1000, 560, true], [420, 800, true]]) {
    const {page, close} = await open('moving', {width, height});
    for (const tab of ['plots', 'stages', 'case', 'run']) {
      await page.locator(`#tab-${tab}`).click();
      const bars = await page.evaluate(() => [...document.querySelectorAll('.side, .side *')].filter((e) => {
        const {overflowX, overflowY} = getComputedStyle(e);
        const scrolls = (how, inner, outer) => /auto|scroll/.test(how) && inner > outer;
        return (
          scrolls(overflowX, e.scrollWidth, e.clientWidth) ||
          (!e.matches('.panels') && scrolls(overflowY, e.scrollHeight, e.clientHeight))
        );
      }).map((e) => e.className || e.id));
      assert.deepEqual(bars, [], `${width} x ${height}, ${tab}: nothing scrolls inside the tab`);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${width} x ${height}, ${tab}: nothing sticks out`,
      );
    }
    await page.locator('#tab-plots').click();
    await page.evaluate(() => window.scree.view.setForces('network'));
    await page.locator('#colour').evaluate((e) => e.dispatchEvent(new Event('change')));
    const covered = await page.evaluate(() => ['legend', 'force-legend'].some((id) => {
      const [a, b] = [document.getElementById(id), document.getElementById('view')].map((e) =>
        e.getBoundingClientRect(),
      );
      return a.height === 0 || (a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top);
    }));
    if (small) assert.ok(!covered, `${width} x ${height}: the legends leave the scene free`);
    await shot(page, `window-${width}-${height}`);
    await page.locator('#canvas').scrollIntoViewIfNeeded();
    assert.ok(await page.locator('#start').isVisible());
    const box = await page.locator('#view').boundingBox();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.8 * box.height);
    await page.mouse.down();
    assert.ok(!(await page.locator('#start').isVisible()), 'a touch of the scene takes the button away');
    assert.ok(!(await page.evaluate(() => window.scree.player.playing)));
    await page.mouse.up();
    await close();
  }
}

/** Ends along x, y, z of what is drawn of every plane, by its name. */
function facesOf(page) {
  return page.evaluate(() => {
    const {view, store} = window.scree;
    const sheets = view.walls.group.children.filter((o) => o.type === 'Group');
    const named = sheets.map((group, k) => [store.header.walls[k].name, group]);
    return Object.fromEntries(named.filter(([, group]) => group.children[2]?.isLineLoop).map(([name, group]) => {
      const [face, , edge] = group.children;
      const p = face.geometry.getAttribute('position');
      const {count} = edge.geometry.drawRange;
      const corners = Array.from({length: count}, (_, i) => [p.getX(i), p.getY(i), p.getZ(i)]);
      return [name, [0, 1, 2].map((i) => [Math.min, Math.max].map((f) => f(...corners.map((c) => c[i]))))];
    }));
  });
}

/** Planes end at each other wherever they move, also between frames; a round wall that turns bears a mark. */
async function testWalls() {
  const {page, close} = await open('moving');
  const w = 0.3;
  for (const t of [0, 0.4, 0.5, 1, 0.25]) {
    await seek(page, t);
    const boxes = await facesOf(page);
    const [x, y, top, h] = [w * (1 - t / 3), w * (1 + t / 5), 2 * w, 2 * w * (0.8 - 0.3 * t)];
    const expected = {
      'box.x_min': [[0, 0], [0, y], [0, top]], 'box.x_max': [[x, x], [0, y], [0, top]],
      'box.y_min': [[0, x], [0, 0], [0, top]], 'box.y_max': [[0, x], [y, y], [0, top]],
      'box.z_min': [[0, x], [0, y], [0, 0]], lid: [[0, x], [0, y], [h, h]],
    };
    assert.deepEqual(Object.keys(boxes), Object.keys(expected));
    for (const [name, ends] of Object.entries(expected)) {
      const found = boxes[name];
      const near = ends.flat().every((v, k) => Math.abs(v - found.flat()[k]) < 1e-5);
      assert.ok(near, `at ${t} s ${name} spans ${JSON.stringify(found)}, not ${JSON.stringify(ends)}`);
    }
    const marks = await page.evaluate(() => {
      const {view, store} = window.scree;
      const found = {};
      view.walls.group.children.filter((o) => o.type === 'Group').forEach((group, k) => {
        const mark = group.children.find((o) => o.name === 'mark');
        if (!mark) return;
        group.updateWorldMatrix(true, true);
        const p = mark.geometry.getAttribute('position');
        const v = view.camera.position.clone();
        found[store.header.walls[k].name] = Array.from({length: p.count}, (_, i) =>
          v.fromBufferAttribute(p, i).applyMatrix4(mark.matrixWorld).toArray(),
        );
      });
      return found;
    });
    assert.deepEqual(Object.keys(marks), ['drum'], 'only what is round bears a mark');
    for (const [px, py] of marks.drum) {
      const [dx, dy] = [px - 0.5 * w, py - 0.5 * w];
      assert.ok(Math.abs(Math.hypot(dx, dy) - w) < 0.003 * w, 'it lies on the drum');
      const off = Math.atan2(dy, dx) - 2 * t;
      assert.ok(
        Math.abs(Math.atan2(Math.sin(off), Math.cos(off))) < 0.06,
        `at ${t} s it stands at ${Math.atan2(dy, dx)}, not ${2 * t}`,
      );
    }
  }
  await shot(page, 'walls');
  const marked = await look(page);
  await page.evaluate(() => (window.scree.view.walls.mark.visible = false));
  assert.ok(changed(marked, await look(page)) > 5e-4, 'the mark is seen');
  await close();

  // In two dimensions sides are lines; above, where the box is open, they end where they were drawn.
  const planar = await open('planar');
  await seek(planar.page, 0.6);
  const [x, lines] = [w * (1 - 0.2), await facesOf(planar.page)];
  const expected = {'box.x_min': [0, 0, 0, w, 0, 0], 'box.x_max': [x, x, 0, w, 0, 0], 'box.y_min': [0, x, 0, 0, 0, 0]};
  for (const [name, ends] of Object.entries(expected)) {
    const near = lines[name].flat().every((v, k) => Math.abs(v - ends[k]) < 1e-5);
    assert.ok(near, `${name} spans ${JSON.stringify(lines[name])}, not ${ends}`);
  }
  await shot(planar.page, 'planar');
  await planar.close();
}

/** Few spheres are domes of few triangles, many are points: as large as they should be, picked where they are seen. */
async function testSpheres() {
  for (const [name, kind] of [['moving', 'Mesh'], ['crowd', 'Points']]) {
    const {page, close} = await open(name);
    await page.locator('#shadows').evaluate((b) => b.ariaPressed === 'true' && b.click());
    await page.locator('#walls').click();
    const grains = await page.evaluate(() => window.scree.store.header.particles);
    await look(page);
    const drawn = await page.evaluate(() => {
      const [{type, geometry: g}] = window.scree.view.grains.group.children;
      return {
        type,
        triangles: (g.index?.count ?? 0) / 3,
        count: g.instanceCount ?? g.drawRange.count,
        all: window.scree.view.frameNow.rows.length,
      };
    });
    assert.equal(drawn.type, kind, `${grains} spheres`);
    assert.ok(drawn.triangles < 100);
    assert.equal(drawn.count, drawn.all);

    // As long as they move only a share of the points is drawn where the computer is slow.
    if (kind === 'Points') {
      await page.evaluate(() => {
        const {view} = window.scree;
        const {grains} = view;
        const thin = grains.thin.bind(grains);
        window.counts = [];
        grains.thin = (share) => {
          thin(share);
          window.counts.push(grains.group.children[0].geometry.drawRange.count);
        };
        view.pace.share = 0.1;
        view.invalidate();
      });
      await page.waitForFunction((all) => Math.min(...window.counts) < 5000 && window.counts.at(-1) === all, drawn.all);
    }

    // One of them, near by: the area of its picture.
    const seen = await page.evaluate(() => {
      const {view} = window.scree;
      const {grains, camera, controls} = view;
      const [batch] = grains.batches;
      batch.count = 1;
      if (batch.mesh.geometry.instanceCount) batch.mesh.geometry.instanceCount = 1;
      const [place, turn] = [camera.position.clone(), camera.quaternion.clone()];
      const row = batch.rows[0];
      grains.poseNow(row, place, turn);
      const radius = 0.5 * window.scree.store.particles.size[row];
      camera.position.set(30, 20, 15).normalize().multiplyScalar(30 * radius).add(place);
      controls.target.copy(place), (controls.enableDamping = false);
      controls.update();
      const rect = document.getElementById('view').getBoundingClientRect();
      return {
        row,
        pixels: radius * view.pixelsPerMetre(),
        size: rect.width * rect.height,
        at: [rect.left + rect.width / 2, rect.top + rect.height / 2],
      };
    });
    const there = await look(page);
    await shot(page, `sphere-${name}`);
    const picked = (x) =>
      page.evaluate(([px, py]) => window.scree.view.pickAt(px, py), [seen.at[0] + x * seen.pixels, seen.at[1]]);
    assert.deepEqual([await picked(0.95), await picked(1.05)], [seen.row, -1]);
    await page.evaluate(() => (window.scree.view.grains.group.visible = false));
    const area = changed(await look(page), there) * seen.size;
    assert.ok(
      Math.abs(area / (Math.PI * seen.pixels ** 2) - 1) < 0.03,
      `${name}: ${area} pixels, not ${Math.PI * seen.pixels ** 2}`,
    );
    await close();
  }
}

/** Colours of the run or of one frame, by roots or logarithms; forces from a threshold on, vectors true to scale. */
async function testRanges() {
  const {page, close} = await open('small');
  const set = (id, value) => page.locator(`#${id}`).evaluate((e, v) => {
    e.value = v;
    e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input'));
  }, value);
  const ticks = async (id) =>
    (await page.locator(`#${id} .ticks span`).allTextContents()).map((t) =>
      Number(t.replace(/[≥≤ ]/g, '').replace('−', '-')),
    );
  /** Speeds (m/s) of the frame shown, and the places on the scale that are drawn. */
  const speeds = () => page.evaluate(() => {
    const {store, view} = window.scree;
    const f = view.frameNow;
    const found = [];
    for (const m of view.grains.group.children) {
      const [fixed, shade] = [m.geometry.getAttribute('fixedPart').array, m.geometry.getAttribute('valueA').array];
      for (let k = 0; k < m.geometry.instanceCount; ++k)
        found.push([store.speed(f, store.find(f, fixed[2 * k + 1])), shade[k]]);
    }
    return found;
  });
  const top = await page.evaluate(() => window.scree.store.header.speed_typical);
  await seek(page, 0.72);
  for (const range of ['run', 'frame', 'run log', 'frame log']) {
    await set('range', range);
    const found = await speeds();
    const sorted = found.map(([v]) => v).sort((a, b) => a - b);
    const high = range.startsWith('run') ? top : sorted[Math.ceil(0.995 * sorted.length) - 1];
    const at = await ticks('legend');
    assert.ok(Math.abs(at[2] / high - 1) < 6e-3, `${range}: the colours end at ${at[2]}, not ${high} m/s`);
    const low = range.endsWith('log') ? at[0] : 0;
    assert.ok(range.endsWith('log') === low > 0);
    for (const [v, shade] of found) {
      const expected = low > 0 ? Math.log(v / low) / Math.log(high / low) : Math.sqrt(v / high);
      if (v > low)
        assert.ok(Math.abs(shade - expected) < 0.01, `${range}: ${v} m/s is drawn as ${shade}, not ${expected}`);
    }
    assert.equal(/this frame/.test(await page.locator('#legend').textContent()), range.startsWith('frame'));
  }
  await set('range', 'frame');
  const before = await page.locator('#legend').textContent();
  await seek(page, 0.95);
  assert.notEqual(await page.locator('#legend').textContent(), before, 'the legend goes with the frame');

  await set('forces', 'vectors');
  const bars = () => page.evaluate(() => {
    const {store, view} = window.scree;
    const [f, g] = [view.frameNow, view.forces.mesh.geometry];
    const [a, b] = ['fromA', 'toA'].map((name) => g.getAttribute(name).array);
    return {
      high: view.forces.range.ends(f).high,
      forces: Array.from(f.contactA, (_, i) => store.contactForce(f, i)),
      thick: view.forces.mesh.material.uniforms.uRadius.value,
      lengths: Array.from({length: g.instanceCount}, (_, k) =>
        Math.hypot(...[0, 1, 2].map((i) => b[3 * k + i] - a[3 * k + i])),
      ),
    };
  });
  const all = await bars();
  assert.equal(all.lengths.length, all.forces.length);
  const unit = all.lengths[0] / all.forces[0];
  all.forces.forEach((f, i) =>
    assert.ok(Math.abs(all.lengths[i] - unit * Math.min(f, 3 * all.high)) < 1e-5, 'as long as it is strong'),
  );
  await set('length', String(Math.log10(2).toFixed(2)));
  assert.ok(Math.abs((await bars()).lengths[0] / all.lengths[0] - 2) < 0.01, 'twice as long');
  await set('least', '0.5');
  const strong = all.forces.filter((f) => f >= 0.25 * all.high).length;
  assert.ok(strong > 0 && strong < all.forces.length);
  assert.equal((await bars()).lengths.length, strong, 'only strong forces');
  assert.match(await page.locator('#force-legend').textContent(), new RegExp(`from .*N: ${strong} of .* long: `));
  await shot(page, 'forces-from');
  await set('forces', 'network');
  assert.ok((await bars()).thick > 3 * all.thick, 'vectors are thin');
  assert.ok(!(await page.locator('#length-field').isVisible()));
  await close();
}

/** Axes with names and prefixes, noise as 0, what the case measures, and plots over another column than time. */
async function testPlots() {
  const {page, close} = await open('small', {height: 1000});
  const plot = (title) => page.locator('.plot').filter({has: page.locator('h3', {hasText: new RegExp(`^${title}$`)})});
  /** Labels of the axes and, of the ticks, the largest number. */
  const axes = (title) => plot(title).evaluate((box) => {
    const {plots} = window.scree;
    const u = plots.plots.find((p) => p.root === box).chart;
    return u.axes.map((a) => [a.label ?? '', Math.max(...a._values.map((v) => Number(v.replace('−', '-'))))]);
  });
  assert.deepEqual(await axes('Energy'), [['time [s]', 1], ['J', 40]]);
  assert.deepEqual(
    await axes('bed stress_zz'),
    [
      ['time [s]', 1],
      ['kPa', 20],
    ],
    'a measured column has its plot, with a prefix',
  );
  assert.equal(await plot('bed').count(), 1, 'two columns of one unit share one');
  const key = (name) => plot('Energy').locator('.key', {hasText: name}).locator('b').textContent();
  await seek(page, 0);
  const follows = () => [...document.querySelectorAll('.plot .key')].some((k) => k.textContent === 'potential40 J');
  await page.waitForFunction(follows);
  assert.equal(await key('elastic'), '0 J', 'what rounding left is 0');
  await plot('Energy').locator('.chip', {hasText: 'log'}).click();
  assert.match(await key('elastic'), /e−17 J/, 'but for logarithms');
  await plot('Energy').locator('.chip', {hasText: 'log'}).click();

  const overTime = decodePng(await plot('bed stress_zz').screenshot());
  await page.selectOption('#over', {label: 'bed strain'});
  await page.waitForTimeout(200);
  assert.deepEqual((await axes('bed stress_zz')).map((a) => a[0]), ['bed strain', 'kPa']);
  assert.ok((await axes('bed stress_zz'))[0][1] <= 0.2);
  assert.deepEqual((await axes('Where the energy is'))[0], ['time [s]', 1], 'a stack stays over time');
  await plot('bed stress_zz').scrollIntoViewIfNeeded();
  assert.ok(changed(overTime, decodePng(await plot('bed stress_zz').screenshot())) > 0.005, 'the line is another');
  // Loading and unloading are two lines: both are drawn, and a click on one goes to its time.
  const places = await plot('bed stress_zz').evaluate((box) => {
    const u = window.scree.plots.plots.find((p) => p.root === box).chart;
    const {left, top} = u.over.getBoundingClientRect();
    const image = u.ctx.getImageData(0, 0, u.ctx.canvas.width, u.ctx.canvas.height);
    /** How coloured it is about a point. */
    const ink = (x, y) => {
      const [cx, cy] = [x * devicePixelRatio + u.bbox.left, y * devicePixelRatio + u.bbox.top].map(Math.round);
      let most = 0;
      for (let j = -2; j <= 2; ++j) {
        for (let i = -2; i <= 2; ++i) {
          const [r, g, b, a] = image.data.slice(4 * ((cy + j) * image.width + cx + i));
          if (a > 0) most = Math.max(most, Math.max(r, g, b) - Math.min(r, g, b));
        }
      }
      return most;
    };
    return [20, 80].map((k) => {
      const t = k / 100;
      const [x, y] = [
        u.valToPos(0.2 * Math.sin(Math.PI * t), 'x'),
        u.valToPos(5e4 * (t < 0.5 ? t : 0.5 - 0.9 * (t - 0.5)), 'y'),
      ];
      return {t, at: [left + x, top + y], ink: ink(x, y)};
    });
  });
  for (const p of places) {
    assert.ok(p.ink > 60, `the line passes the point of ${p.t} s: ${p.ink}`);
    await page.mouse.move(...p.at);
    await page.mouse.click(...p.at);
    await page.waitForFunction((t) => Math.abs(window.scree.player.time - t) < 0.011, p.t);
    await page.waitForFunction(([x, y]) => {
      const {plots} = window.scree;
      const {dots: [dot]} = plots.plots.find((p) => p.root.querySelector('h3').textContent === 'bed stress_zz');
      const {left, top} = dot.getBoundingClientRect();
      return Math.hypot(left + 4 - x, top + 4 - y) < 6;  // a dot is where the time is
    }, p.at);
  }
  await shot(page, 'over');
  await page.selectOption('#over', {label: 'time'});
  assert.equal((await axes('bed stress_zz'))[0][0], 'time [s]');
  await close();
}

async function testEvil() {
  const {page, close} = await open('evil');
  assert.equal(await page.evaluate(() => window.pwned), undefined, 'text of the user does not run');
  assert.match(await page.locator('#title').textContent(), /^<\/script><script>/);
  assert.match(await page.title(), /^<\/script><script>window\.pwned=1/);
  assert.match(await page.locator('#panel-case').textContent(), /onerror=window\.pwned=1/);
  assert.equal(await page.locator('#verdict').textContent(), 'Failed');
  assert.match(await page.locator('#reason').textContent(), /overlap by 61 %/);
  assert.equal(await page.locator('img').count(), 0);
  // The case's own plots come first, each over its own column; of columns that are not there none is made.
  await page.waitForFunction(() => document.querySelectorAll('#panel-plots canvas').length === 9);
  const plots = await page.evaluate(() => window.scree.plots.plots.slice(0, 3).map((p) =>
    [p.root.querySelector('h3').textContent, p.chart.axes.map((a) => a.label ?? ''), p.root.querySelectorAll('.key').length]));
  assert.match(plots[0][0], /^<\/script><script>/);
  assert.deepEqual(plots[0].slice(1), [['bed strain', 'kPa'], 1]);
  assert.deepEqual(plots[1], ['contacts, sliding over fastest grain', ['fastest grain [m/s]', ''], 2]);
  assert.equal(plots[2][0], 'Energy');
  await page.selectOption('#over', {label: 'elastic'});
  assert.deepEqual(await page.evaluate(() => window.scree.plots.plots.slice(1, 3).map((p) => p.chart.axes[0].label)),
    ['fastest grain [m/s]', 'elastic [mJ]']);
  await page.selectOption('#over', {label: 'time'});
  await shot(page, 'failed');
  await close();
}

async function testBare() {
  const {page, close} = await open('bare');
  assert.equal(await page.locator('#verdict').textContent(), 'Interrupted');
  assert.match(await page.locator('#message').textContent(), /no frames/i);
  assert.match(await page.locator('#notes').textContent(), /no frames/);
  await page.waitForFunction(() => document.querySelectorAll('#panel-plots canvas').length === 7);
  await shot(page, 'bare');
  await close();
}

async function testWithoutWebgl() {
  const init = () => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return /webgl/.test(kind) ? null : get.call(this, kind, ...rest);
    };
  };
  const {page, faults, close} = await open('small', {init});
  assert.match(await page.locator('#message').textContent(), /WebGL/);
  await page.waitForFunction(() => document.querySelectorAll('#panel-plots canvas').length === 7);
  await page.locator('#tab-run').click();
  assert.match(await page.locator('#panel-run').textContent(), /8899aabbccddeeff/);
  await shot(page, 'no-webgl');
  // three.js itself complains on the console.
  faults.splice(0, faults.length, ...faults.filter((f) => !/THREE\.WebGLRenderer/.test(f)));
  await close();
}

/** Thirty thousand grains: size, time to open, work per picture on this side, pictures per second (of a software renderer). */
async function measureLarge() {
  const file = join(fixtures, 'large', 'report.html');
  const {page, openMs, close} = await open('large', {width: 1280, height: 800});
  for (const shadows of [true, false]) {
    if (!shadows) await page.locator('#shadows').click();
    await page.evaluate(() => {
      const {player, view, store} = window.scree;
      Object.assign(view.stats, {draws: 0, cpuMs: 0});
      store.decodeMs = store.decodes = 0;
      player.loop = true;
      player.play(true);
    });
    await page.waitForTimeout(10_000);
    const s = await page.evaluate(() => {
      const {player, view, store} = window.scree;
      player.play(false);
      return {...view.stats, decodeMs: store.decodeMs / Math.max(1, store.decodes), decodes: store.decodes, grains: store.header.particles, frames: store.frames};
    });
    console.log(`${s.grains} grains x ${s.frames} frames, ${(statSync(file).size / 1e6).toFixed(1)} MB, opened in ${openMs} ms; shadows ${shadows ? 'on' : 'off'}: ` +
      `${(s.draws / 10).toFixed(1)} pictures/s (software renderer), ${(s.cpuMs / s.draws).toFixed(1)} ms of script per picture, ${s.decodeMs.toFixed(1)} ms to unpack a frame (${s.decodes}), ${s.calls} draw calls, ${s.triangles} triangles`);
  }
  await seek(page, 0.6);
  await page.waitForTimeout(500);
  await shot(page, 'large');
  await page.selectOption('#forces', 'network');
  await page.waitForTimeout(1500);
  await shot(page, 'large-forces');
  await close();
}

/** Many spheres: pictures per second of a software renderer while the view is turned, and while the run is played. */
async function measureSpheres() {
  const {page, openMs, close} = await open('spheres', {width: 1280, height: 800});
  await seek(page, 0.9);
  for (const what of ['turned, all drawn', 'turned', 'played']) {
    const s = await page.evaluate(([playing, all]) => new Promise((done) => {
      const {player, view, store} = window.scree;
      player.loop = true;
      player.play(playing);
      Object.assign(view.stats, {draws: 0, cpuMs: 0});
      const begun = performance.now();
      const turn = () => {
        const seconds = (performance.now() - begun) / 1000;
        if (!playing) view.camera.position.applyAxisAngle(view.camera.up, 0.02);
        if (all) view.pace.share = 1;
        view.invalidate();
        if (seconds < 10) return void requestAnimationFrame(turn);
        player.play(false);
        done({
          ...view.stats,
          seconds,
          share: view.pace.share,
          grains: store.header.particles,
          shadows: document.getElementById('shadows').ariaPressed,
        });
      };
      turn();
    }), [what === 'played', what.endsWith('all drawn')]);
    console.log(
      `${s.grains} spheres, opened in ${openMs} ms, ${what}: ${(s.draws / s.seconds).toFixed(2)} pictures/s ` +
        `(software renderer), ${(100 * s.share).toFixed(0)} % of the points drawn, shadows ${s.shadows}`,
    );
  }
  await seek(page, 0.9);
  await page.waitForTimeout(1000);
  await shot(page, 'spheres');
  await close();
}

try {
  const all = [
    testDecoding,
    testBonds,
    testDrawnPoses,
    testSmall,
    testLooks,
    testWindows,
    testWalls,
    testSpheres,
    testRanges,
    testPlots,
    testEvil,
    testBare,
    testWithoutWebgl,
  ];
  const tests =
    mode === 'large'
      ? [measureLarge]
      : mode === 'spheres'
        ? [measureSpheres]
        : all.filter((t) => mode === 'small' || t.name === mode);
  for (const test of tests) {
    const started = Date.now();
    await test();
    console.log(`${test.name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
  console.log('ok');
} catch (e) {
  console.error(e);
  process.exitCode = 1;
} finally {
  await browser.close();
}
