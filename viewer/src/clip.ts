import * as THREE from 'three';

/** The part of a convex polygon on the side that a plane's normal points to. */
export function clipped(polygon: THREE.Vector3[], plane: THREE.Plane): THREE.Vector3[] {
  const rest: THREE.Vector3[] = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    const [dp, dq] = [plane.distanceToPoint(p), plane.distanceToPoint(q)];
    if (dp >= 0) rest.push(p);
    if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) rest.push(p.clone().lerp(q, dp / (dp - dq)));
  });
  return rest;
}
