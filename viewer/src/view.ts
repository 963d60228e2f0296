// The 3-D view: scene, light, camera, picking. It draws when something has changed.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {categoryTable, scaleTable} from './colours.ts';
import type {Frame, Store, Vec, WallRow} from './data.ts';
import {Forces, type ForceMode} from './forces.ts';
import {drawsPoints, Grains, reach, shadowPixels} from './grains.ts';
import {Range} from './ranges.ts';
import {Walls} from './walls.ts';

export type ColourMode = 'speed' | 'size' | 'shape' | 'material' | 'id' | 'fragment';

interface Theme {
  dark: boolean;
  top: string;
  bottom: string;
}
const themes: Record<'light' | 'dark', Theme> = {
  light: {dark: false, top: '#fbfaf7', bottom: '#e3e0d8'},
  dark: {dark: true, top: '#2a2f37', bottom: '#13161a'},
};

/** A picture of what moves may take so long; it has as many of the points as that allows, but a twentieth at least. */
const movingMs = 80;
function within(share: number): number {
  return Math.min(1, Math.max(0.05, share));
}

/** Gives back what an object and its children hold on the graphics card. */
function free(o: THREE.Object3D): void {
  o.traverse((part) => {
    const {geometry, material, customDepthMaterial: depth} = part as THREE.Mesh;
    geometry?.dispose();
    for (const m of [material, depth].flat()) m?.dispose();
  });
}

function median(values: Float32Array): number {
  return values.length ? Float32Array.from(values).sort()[values.length >> 1] : 0;
}

/** Box of the grains of some frames but for the share that strayed farthest on each side. */
function boxOf(store: Store, frames: Frame[], radius: number, strayed: number): THREE.Box3 {
  const n = frames.reduce((s, f) => s + f.rows.length, 0);
  if (n === 0) return new THREE.Box3();
  const axes = [0, 1, 2].map(() => new Float32Array(n));
  const p = [0, 0, 0];
  let at = 0;
  for (const f of frames) {
    for (let i = 0; i < f.rows.length; ++i, ++at) {
      store.place(f, i, p);
      for (let k = 0; k < 3; ++k) axes[k][at] = p[k];
    }
  }
  for (const a of axes) a.sort();
  const corner = (share: number, side: number) => new THREE.Vector3(...axes.map((a) => a[Math.round(share * (n - 1))] + side * radius));
  return new THREE.Box3(corner(strayed, -1), corner(1 - strayed, 1));
}

/** With the bounds of walls that have some. */
function expandByWalls(box: THREE.Box3, store: Store, rows: WallRow[]): void {
  for (const w of rows) {
    w.outline?.forEach((v) => box.expandByPoint(new THREE.Vector3(...v)));
    const mesh = store.header.walls[w.wall].mesh;
    if (!mesh || !w.orientation) continue;
    const turned = new THREE.Quaternion(...w.orientation), at = new THREE.Vector3(...w.point);
    for (let i = 0; i < mesh.vertices.length; i += 3)
      box.expandByPoint(new THREE.Vector3(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]).applyQuaternion(turned).add(at));
  }
}

/** Box of what matters: bounded walls, most of the grains at most times, and the beginning if that does not dwarf the rest. */
function boundsOf(store: Store, frames: Frame[], radius: number): THREE.Box3 {
  const box = boxOf(store, frames, radius, 0.04);
  expandByWalls(box, store, store.header.frames[0].walls);
  const start = box.clone().union(boxOf(store, [frames[0]], radius, 0.002));
  const length = (b: THREE.Box3) => b.getSize(new THREE.Vector3()).length();
  if (box.isEmpty() || length(start) < 1.6 * length(box)) box.copy(start);
  if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
  return box;
}

export class View {
  grains!: Grains;
  walls!: Walls;
  forces!: Forces;
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly scaleRange: {size: [number, number]} = {size: [0, 0]};
  readonly speeds: Range;
  onPick: (row: number) => void = () => {};
  onDraw: () => void = () => {};
  /** Called once when many grains move and the pictures come slowly. */
  onSlow: () => void = () => {};
  colour: ColourMode = 'speed';
  selected = -1;
  interpolate = true;
  stats = {draws: 0, cpuMs: 0, calls: 0, triangles: 0};
  private readonly scene = new THREE.Scene();
  private readonly overlay = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight('#fff4e3', 2.1);
  private readonly sky = new THREE.HemisphereLight('#ffffff', '#a39887', 2.0);
  private readonly fill = new THREE.DirectionalLight('#cfe0ff', 0.35);
  private readonly box: THREE.Box3;
  private isTouched = false;  // whether the user has turned or moved the camera
  private readonly up: THREE.Vector3;
  private readonly planar: boolean;
  private readonly thins: boolean;  // whether only a part of the grains may be drawn while they move
  private dirty = true;
  private now: {a: Frame; b: Frame; mix: number} | null = null;
  private theme = themes.light;

  /** `grows`: frames will be added to the store; renew() then. */
  constructor(private readonly canvas: HTMLCanvasElement, private readonly store: Store, frames: Frame[], up: Vec, private readonly grows = false) {
    this.thins = drawsPoints(store);
    // The edges of points would not be smoother, and software takes half as long again.
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: !this.thins,
      powerPreference: 'high-performance',
      preserveDrawingBuffer: false,
      alpha: true,
    });
    this.renderer.autoClear = false;
    this.renderer.info.autoReset = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    const run = () => ({top: store.header.speed, typical: store.header.speed_typical});
    this.speeds = new Range(run, (f) => f.scales.speed, 255, 0.995, (f) => f.speed);

    // Two dimensions are looked at straight, y upwards.
    this.planar = store.header.dimensions === 2;
    this.up = this.planar ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(...up).normalize();
    this.camera.up.copy(this.up);
    this.box = boundsOf(store, frames, this.typicalRadius());
    this.build();
    this.scene.add(this.sun, this.sun.target, this.sky, this.fill);
    this.placeLights();

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => (this.isTouched = true));
    this.reset();
    this.listenForPicks();
    this.setColour(store.header.speed > 0 || grows ? 'speed' : 'shape');
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    this.renderer.setAnimationLoop(() => this.draw());
  }

  private typicalRadius(): number {
    const {particles, header} = this.store;
    return median(particles.size) * (header.shapes.length ? Math.max(...header.shapes.map(reach)) : 1);
  }

  /** What has a size of its own on the graphics card. */
  private build(): void {
    const {store} = this;
    // A store that grows does not outgrow all this at once.
    const spare = (n: number) => (this.grows ? Math.ceil(1.5 * n) + 16 : n);
    const {size} = store.particles;
    let lo = Infinity;
    let hi = 0;
    for (const s of size) (lo = Math.min(lo, s)), (hi = Math.max(hi, s));
    this.scaleRange.size = [Number.isFinite(lo) ? lo : 0, hi];
    this.grains = new Grains(store, spare);
    this.walls = new Walls(store, this.box, this.up);
    this.forces = new Forces(store, this.typicalRadius() || 1, spare);
    this.scene.add(this.grains.group, this.walls.group);
    this.overlay.add(this.forces.mesh);
    this.forces.mesh.visible = false;
  }

  /** The store has grown or is another one (`anew`): what does not fit is made again. Camera and choices stay. */
  renew(anew: boolean): void {
    const {grains, walls, forces} = this;
    const isOther = anew || !grains.fits || !walls.fits || !forces.fits;
    if (isOther) {
      this.scene.remove(grains.group, walls.group), this.overlay.remove(forces.mesh);
      for (const o of [grains.group, walls.group, forces.mesh]) free(o);
      this.build();
      for (const name of ['uMix', 'uSelected', 'uGhost', 'uEdges', 'uPixels', 'uGrow']) this.grains.uniforms[name].value = grains.uniforms[name].value;
      this.forces.takeAfter(forces);
      this.walls.group.visible = walls.group.visible;
      this.walls.setShadows(this.sun.castShadow);
      this.setTheme(this.dark);
      if (anew) this.now = null;  // its rows were those of other tables
    }
    this.setColour(this.colour);
    if (isOther) this.setForces(this.forces.mode);
  }

  /** Takes a new frame into what light and camera are set for. A camera that the user has moved stays. */
  reframe(newest: Frame): void {
    const before = this.box.clone();
    this.box.union(boxOf(this.store, [newest], this.typicalRadius(), 0.04));
    expandByWalls(this.box, this.store, newest.row.walls);
    if (!this.box.equals(before)) this.placeLights();
    const length = (b: THREE.Box3) => b.getSize(new THREE.Vector3()).length();
    if (!this.isTouched && length(this.box) > 1.15 * length(before)) this.reset();
  }

  /** Work to do once per displayed picture, before drawing. */
  beforeDraw: () => void = () => {};

  invalidate(): void {
    this.dirty = true;
  }

  private placeLights(): void {
    const centre = this.box.getCenter(new THREE.Vector3());
    const r = 0.5 * this.box.getSize(new THREE.Vector3()).length();
    const {side, front} = this.frame3();
    this.sun.position.copy(centre).addScaledVector(this.planar ? front : this.up, 2.4 * r).addScaledVector(side, -0.9 * r).addScaledVector(front, 0.9 * r);
    this.sun.target.position.copy(centre);
    this.fill.position.copy(centre).addScaledVector(side, 2 * r).addScaledVector(front, r);
    this.sky.position.copy(this.up);
    const c = this.sun.shadow.camera;
    c.left = c.bottom = -1.25 * r;
    c.right = c.top = 1.25 * r;
    c.near = 0.5 * r;
    c.far = 5 * r;
    this.sun.castShadow = !this.planar;
    this.sun.shadow.mapSize.set(shadowPixels, shadowPixels);
    this.sun.shadow.radius = 3;
    this.sun.shadow.normalBias = 0;
    this.sun.shadow.bias = -0.0015;
    this.sun.shadow.intensity = 0.72;
  }

  /** Horizontal directions: to the right, and toward the first point of view. */
  private frame3(): {side: THREE.Vector3; front: THREE.Vector3} {
    const side = new THREE.Vector3(1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) side.set(0, 1, 0);
    side.addScaledVector(this.up, -this.up.dot(side)).normalize();
    return {side, front: new THREE.Vector3().crossVectors(side, this.up)};
  }

  reset(): void {
    // Without damping an update uses up what is left of a drag.
    this.controls.enableDamping = false;
    this.controls.update();
    const {side, front} = this.frame3();
    const centre = this.box.getCenter(new THREE.Vector3());
    const direction = this.planar
      ? front.clone()
      : new THREE.Vector3().addScaledVector(side, 0.48).addScaledVector(front, 1).addScaledVector(this.up, 0.42).normalize();
    // The nearest distance from which all corners are in the picture.
    const right = new THREE.Vector3().crossVectors(this.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov) / 2);
    const wide = tall * this.camera.aspect;
    let distance = 0;
    for (let i = 0; i < 8; ++i) {
      const c = new THREE.Vector3(i & 1 ? this.box.max.x : this.box.min.x, i & 2 ? this.box.max.y : this.box.min.y, i & 4 ? this.box.max.z : this.box.min.z).sub(centre);
      const depth = c.dot(direction);
      distance = Math.max(distance, depth + Math.abs(c.dot(right)) / wide, depth + Math.abs(c.dot(above)) / tall);
    }
    distance *= 1.12;
    const size = this.box.getSize(new THREE.Vector3()).length();
    this.camera.near = 0.004 * size;
    this.camera.far = 40 * size;
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.controls.target.copy(centre);
    this.controls.minDistance = 0.02 * size;
    this.controls.maxDistance = 12 * size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.controls.enableDamping = true;
    this.invalidate();
  }

  private framed = false;
  resize(): void {
    const {clientWidth: w, clientHeight: h} = this.canvas.parentElement!;
    if (w === 0 || h === 0) return;
    const many = this.store.header.particles > 20000;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, many ? 1.5 : 2, this.pace.told ? 1 : 2));
    this.renderer.setSize(w, h, false);
    this.grains.uniforms.uPixels.value = this.renderer.domElement.height;
    const untouched = !this.framed;
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (untouched) this.reset(), (this.framed = true);
    this.invalidate();
  }

  setTheme(dark: boolean): void {
    this.theme = dark ? themes.dark : themes.light;
    this.canvas.style.background = `linear-gradient(${this.theme.top}, ${this.theme.bottom})`;
    this.walls.inside.color.set(dark ? '#4b5563' : '#f4efe6');
    this.walls.inside.opacity = dark ? 0.3 : 0.42;
    this.walls.surface.color.set(dark ? '#5b6778' : '#9aa7b5');
    this.walls.ground.material.color.set(dark ? '#000000' : '#4a3f30');
    this.walls.ground.material.opacity = dark ? 0.5 : 0.32;
    this.walls.outside.color.set(dark ? '#9fb3c8' : '#7b8794');
    this.walls.mark.color.set(dark ? '#e58b5c' : '#b4532a');
    this.walls.line.color.set(dark ? '#a8b3c0' : '#6b7480');
    this.sky.groundColor.set(dark ? '#6f675c' : '#a39887');
    this.grains.uniforms.uGhostColour.value.set(dark ? '#23282f' : '#ece9e2');
    this.forces.setTable(scaleTable(dark ? 'forceDark' : 'forceLight'));
    this.invalidate();
  }
  get dark(): boolean {
    return this.theme.dark;
  }

  setColour(mode: ColourMode): void {
    this.colour = mode;
    const {particles, header} = this.store;
    const [lo, hi] = this.scaleRange.size;
    const n = Math.max(1, header.particles - 1);
    switch (mode) {
      case 'speed': {
        let of: Frame | null = null;
        const shade = new Float32Array(256);
        this.grains.setColours(scaleTable('speed'), (_, f, i) => {
          if (f !== of) {
            const ends = this.speeds.ends((of = f));
            shade.forEach((_v, code) => (shade[code] = this.speeds.place(this.speeds.value(code, f), ends)));
          }
          return shade[f.speed[i]];
        });
        break;
      }
      case 'size': this.grains.setColours(scaleTable('size'), (_s, _f, _i, row) => (hi > lo ? (particles.size[row] - lo) / (hi - lo) : 0.5)); break;
      case 'id': this.grains.setColours(scaleTable('id'), (_s, _f, _i, row) => row / n); break;
      // Neighbours in the numbers get colours far apart.
      case 'fragment': this.grains.setColours(scaleTable('id'), (_s, f, i, row) => ((f.fragment?.[i] ?? row) * 0.61803398875) % 1); break;
      case 'shape': this.grains.setColours(categoryTable(), (_s, _f, _i, row) => (particles.shape[row] % 256) / 255); break;
      case 'material': this.grains.setColours(categoryTable(), (_s, _f, _i, row) => (particles.material[row] % 256) / 255); break;
    }
    this.refresh();
  }

  /** Of the colours of speeds and forces. */
  setRange(ofFrame: boolean, log: boolean): void {
    for (const r of [this.speeds, this.forces.range]) [r.ofFrame, r.log] = [ofFrame, log];
    this.forces.refresh();
    this.setColour(this.colour);
  }

  limitForces(least: number, stretch: number): void {
    this.forces.limit(least, stretch);
    this.refresh();
  }

  /** The frame whose colours are shown. */
  get frameNow(): Frame | null {
    return this.now?.a ?? null;
  }

  setForces(mode: ForceMode): void {
    this.forces.mode = mode;
    this.forces.mesh.visible = mode !== 'off';
    this.grains.uniforms.uGhost.value = mode === 'off' ? 0 : 0.8;
    const {uRadius, uThin} = this.forces.mesh.material.uniforms;
    uThin.value = mode === 'bonds' ? 0.8 : mode === 'vectors' ? 0.4 : 0.06;
    uRadius.value = (mode === 'bonds' ? 0.3 : mode === 'vectors' ? 0.1 : 0.42) * this.forces.grainRadius;
    this.refresh();
  }

  setWalls(on: boolean): void {
    this.walls.group.visible = on;
    this.invalidate();
  }
  setEdges(on: boolean): void {
    this.grains.uniforms.uEdges.value = on ? 1 : 0;
    this.invalidate();
  }
  setShadows(on: boolean): void {
    this.sun.castShadow = on && !this.planar;
    this.walls.setShadows(on);
    this.renderer.shadowMap.needsUpdate = true;
    this.invalidate();
  }

  select(row: number): void {
    this.selected = row;
    this.grains.uniforms.uSelected.value = row;
    this.invalidate();
  }

  private refresh(): void {
    if (this.now) this.show(this.now.a, this.now.b, this.now.mix);
  }

  show(a: Frame, b: Frame, mix: number): void {
    const m = this.interpolate ? mix : 0;
    const before = this.now;
    this.now = {a, b, mix};
    this.grains.show(a, b);
    this.walls.show(a.row.walls, b.row.walls, m);
    this.forces.show(a, b);
    this.grains.uniforms.uMix.value = m;
    this.forces.mesh.material.uniforms.uMix.value = m;
    if (before?.a !== a || before.mix !== mix) this.renderer.shadowMap.needsUpdate = true;
    this.invalidate();
  }

  private draw(): void {
    const started = performance.now();
    this.beforeDraw();
    this.controls.update();
    if (!this.now || !(this.dirty || this.atRest(started))) return;
    if (!this.pace.known) this.timePoints();
    this.pace.drawn = this.dirty ? this.pace.share : 1;
    this.grains.thin(this.pace.drawn);
    this.dirty = false;
    const r = this.renderer;
    r.info.reset();
    r.setClearColor(0, 0);
    r.clear();
    r.render(this.scene, this.camera);
    if (this.forces.mesh.visible) {
      // Over the grains, so that the network inside the bed is seen.
      r.clearDepth();
      r.render(this.overlay, this.camera);
    }
    this.watchPace(started);
    this.onDraw();
    this.stats.cpuMs += performance.now() - started;
    ++this.stats.draws;
    this.stats.calls = r.info.render.calls;
    this.stats.triangles = r.info.render.triangles;
  }

  private pace = {last: 0, slow: 0, told: false, idle: true, share: 1, drawn: 1, known: false};
  /** Before the first picture: how many of the points a moving one can have. */
  private timePoints(): void {
    this.pace.known = true;
    if (!this.thins) return;
    const gl = this.renderer.getContext();
    const drawn = () => {
      this.renderer.render(this.scene, this.camera);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));  // waits for the picture
    };
    this.grains.thin(0.1);
    drawn();  // compiles
    const begun = performance.now();
    drawn();
    this.pace.share = within(0.1 * movingMs / (performance.now() - begun));
    this.renderer.shadowMap.needsUpdate = true;
    if (this.pace.share < 0.5) this.slow();
  }

  /** Whether what was thinned while it moved is to be drawn in full now. */
  private atRest(now: number): boolean {
    this.pace.idle = true;
    if (this.pace.drawn === 1 || now - this.pace.last < 300) return false;
    return (this.renderer.shadowMap.needsUpdate = true);
  }

  private watchPace(now: number): void {
    const {pace} = this;
    const gap = now - pace.last;
    if (!pace.idle && this.thins) pace.share = within(pace.share * Math.min(1.2, Math.max(0.4, movingMs / gap)));
    // A longer gap is a pause of the playback.
    pace.slow = (gap > 90 && gap < 3000) || pace.share < 1 ? pace.slow + 1 : 0;
    [pace.last, pace.idle] = [now, false];
    if (pace.slow >= 6 && !pace.told && this.store.header.particles >= 5000) this.slow();
  }
  private slow(): void {
    this.pace.told = true;
    this.resize();
    this.onSlow();
  }

  private listenForPicks(): void {
    let down: {x: number; y: number; t: number} | null = null;
    this.canvas.addEventListener('pointerdown', (e) => (down = {x: e.clientX, y: e.clientY, t: e.timeStamp}));
    this.canvas.addEventListener('pointerup', (e) => {
      if (!down || Math.hypot(e.clientX - down.x, e.clientY - down.y) > 4 || e.button !== 0) return;
      this.onPick(this.pickAt(e.clientX, e.clientY));
    });
  }

  /** Row of the grain under a point of the window, or -1. */
  pickAt(x: number, y: number): number {
    const rect = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.camera);
    return this.grains.pick(caster.ray);
  }

  /** Pixels (CSS) per metre at the point that the camera turns about. */
  pixelsPerMetre(): number {
    const d = this.camera.position.distanceTo(this.controls.target);
    return this.canvas.clientHeight / (2 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov) / 2) * d);
  }

  /** The axes x, y, z as they lie on the screen: right, up, toward the eye. */
  axesOnScreen(): Vec[] {
    const turn = this.camera.quaternion.clone().invert();
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((v) => new THREE.Vector3(...(v as Vec)).applyQuaternion(turn).toArray() as Vec);
  }
}
