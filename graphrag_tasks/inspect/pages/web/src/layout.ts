// The places of nodes: the same view has the same places on a sheet of the same size, and nodes stay
// near where they were when others are added.

import type { DirectedGraph } from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

const FIRST_ROUNDS = 300;
const FURTHER_ROUNDS = 120;
const APART_ROUNDS = 120;
const NEAR = 2;

/** Height of a label, and the mean width of its characters, in pixels. */
const LABEL_HEIGHT = 19;
const CHARACTER = 6.9;

/** Share of the sheet's width that is left for the labels at its right. */
const MARGIN = 0.12;

export interface Sheet {
  readonly width: number;
  readonly height: number;
}

export interface Placed {
  x: number;
  y: number;
  label: string;
  size: number;
}

/** Return a number from 0 to 1 that a text always has (FNV-1a, then mixed as in MurmurHash3). */
export function numberOf(text: string): number {
  let hash = 2166136261;
  for (let place = 0; place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 16777619);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
}

/** Put nodes near a point, and let all nodes of the graph move to where forces balance. */
export function settle(graph: DirectedGraph, added: readonly string[], around: string | null): void {
  const middle = around === null ? { x: 0, y: 0 } : graph.getNodeAttributes(around);
  for (const node of added) {
    const name = graph.getNodeAttribute(node, "label");
    const angle = 2 * Math.PI * numberOf(name);
    const radius = NEAR * (0.2 + numberOf(`${name} radius`));
    graph.mergeNodeAttributes(node, {
      x: middle.x + radius * Math.cos(angle),
      y: middle.y + radius * Math.sin(angle),
    });
  }
  if (graph.order < 2) return;
  const iterations = around === null ? FIRST_ROUNDS : FURTHER_ROUNDS;
  const settings = { ...forceAtlas2.inferSettings(graph), adjustSizes: false, gravity: 0.3 };
  forceAtlas2.assign(graph, { iterations, settings });
}

/** Return places on the sheet where boxes of nodes with their labels do not overlap, if they fit. */
export function spread(nodes: readonly Placed[], sheet: Sheet): { x: number; y: number }[] {
  const points = fitted(nodes, sheet);
  const boxes = nodes.map((node) => ({
    left: node.size,
    width: 2 * node.size + 8 + CHARACTER * node.label.length,
    height: Math.max(LABEL_HEIGHT, 2 * node.size + 4),
  }));
  for (let round = 0; round < APART_ROUNDS; round++) {
    let touching = false;
    for (let one = 0; one < points.length; one++) {
      for (let other = 0; other < one; other++) {
        touching = pushed(points, boxes, one, other) || touching;
      }
    }
    if (!touching) break;
  }
  return fitted(points, sheet);
}

/** Return points that are stretched or pressed to fill the sheet. */
function fitted(nodes: readonly { x: number; y: number }[], sheet: Sheet): { x: number; y: number }[] {
  const [left, right] = extent(nodes.map((node) => node.x));
  const [bottom, top] = extent(nodes.map((node) => node.y));
  return nodes.map((node) => ({
    x: ((node.x - left) / (right - left || 1)) * sheet.width * (1 - MARGIN),
    y: ((node.y - bottom) / (top - bottom || 1)) * sheet.height,
  }));
}

function extent(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

interface Box {
  left: number;
  width: number;
  height: number;
}

/** Push two boxes that overlap apart, along the way that is shorter; tell whether they did. */
function pushed(
  points: { x: number; y: number }[],
  boxes: readonly Box[],
  one: number,
  other: number,
): boolean {
  const [a, b, boxA, boxB] = [points[one], points[other], boxes[one], boxes[other]];
  if (!a || !b || !boxA || !boxB) return false;
  const centreA = a.x - boxA.left + boxA.width / 2;
  const centreB = b.x - boxB.left + boxB.width / 2;
  const overX = (boxA.width + boxB.width) / 2 - Math.abs(centreA - centreB);
  const overY = (boxA.height + boxB.height) / 2 - Math.abs(a.y - b.y);
  if (overX <= 0 || overY <= 0) return false;
  if (overX < overY) {
    const way = centreA < centreB ? -1 : 1;
    a.x += (way * overX) / 2;
    b.x -= (way * overX) / 2;
  } else {
    const way = a.y < b.y ? -1 : 1;
    a.y += (way * overY) / 2;
    b.y -= (way * overY) / 2;
  }
  return true;
}
