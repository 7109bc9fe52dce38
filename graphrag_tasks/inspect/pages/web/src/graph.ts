// The graph that is drawn, made of what the server tells.

import { DirectedGraph } from "graphology";

import { TYPE_COLOURS } from "./colours";
import { NO_TYPE, type Shown } from "./data";
import { settle, spread, type Placed, type Sheet } from "./layout";

/** Radius of a node in pixels: of one hardly mentioned, and of the one mentioned most. */
const SMALLEST = 4;
const LARGEST = 14;

/** Square pixels for each node below which nodes are drawn smaller, down to half. */
const ROOM = 4500;

/** Width of a line in pixels. */
const THINNEST = 1.2;
const WIDEST = 4;

const LONGEST_LABEL = 30;

export interface Node extends Placed {
  name: string;
  entityType: string;
  /** Place of its type's colour; null for the colour of all other types. */
  colour: number | null;
  opened: boolean;
  /** Place of the label in the order in which labels are drawn: those of hubs come first. */
  rank: number;
}

export interface Edge {
  /** Places of the relations between the two nodes, in the columns of what is shown. */
  relations: number[];
  size: number;
  /** Whether relations lead both ways. */
  both: boolean;
  label: string;
}

export type Drawn = DirectedGraph<Node, Edge>;

export function shortened(text: string): string {
  return text.length <= LONGEST_LABEL ? text : `${text.slice(0, LONGEST_LABEL - 1).trimEnd()}…`;
}

/**
 * Return the type of each colour, null for a colour without one: those with most entities, each of
 * which keeps its colour when entities are added, as long as it is among them.
 */
export function colouredTypes(shown: Shown): (string | null)[] {
  const { type, step } = shown.entities;
  const slots = new Array<string | null>(TYPE_COLOURS).fill(null);
  for (let last = 0; last < shown.steps.name.length; last++) {
    const counts = new Map<string, number>();
    type.forEach((name, place) => {
      if ((step[place] ?? 0) <= last && name !== NO_TYPE) counts.set(name, (counts.get(name) ?? 0) + 1);
    });
    const most = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const wanted = most.slice(0, TYPE_COLOURS).map(([name]) => name);
    slots.forEach((name, place) => {
      if (name !== null && !wanted.includes(name)) slots[place] = null;
    });
    for (const name of wanted) if (!slots.includes(name)) slots[slots.indexOf(null)] = name;
  }
  return slots;
}

/** Make the graph with places on a sheet of some size in pixels. */
export function makeGraph(shown: Shown, sheet: Sheet): Drawn {
  const graph: Drawn = new DirectedGraph<Node, Edge>();
  const steps = shown.steps.name.length;
  const ids = shown.entities.id;
  const room = (sheet.width * sheet.height) / ids.length;
  for (let step = 0; step < steps; step++) {
    const added = ids.filter((_, place) => shown.entities.step[place] === step);
    addNodes(graph, shown, added, Math.min(1, Math.max(0.5, Math.sqrt(room / ROOM))));
    addEdges(graph, shown);
    const around = graph.order > added.length ? anchorOf(graph, shown, step) : null;
    if (added.length) settle(graph as DirectedGraph, added, around);
  }
  const places = spread(graph.mapNodes((_, node) => node), sheet);
  graph.nodes().forEach((id, place) => graph.mergeNodeAttributes(id, places[place] ?? {}));
  return graph;
}

function anchorOf(graph: Drawn, shown: Shown, step: number): string | null {
  const wanted = shown.steps.name[step];
  return graph.findNode((_, node) => node.name === wanted) ?? graph.nodes()[0] ?? null;
}

function addNodes(graph: Drawn, shown: Shown, added: readonly string[], scale: number): void {
  const { id, name, type, mentions, relations, opened } = shown.entities;
  const types = colouredTypes(shown);
  const most = Math.sqrt(Math.max(1, ...mentions));
  for (const one of added) {
    const place = id.indexOf(one);
    const own = type[place] ?? NO_TYPE;
    const isOpen = opened[place] === 1;
    const share = Math.sqrt(mentions[place] ?? 0) / most;
    graph.addNode(one, {
      name: name[place] ?? "",
      label: shortened(name[place] ?? ""),
      entityType: own,
      colour: types.includes(own) ? types.indexOf(own) : null,
      opened: isOpen,
      size: scale * (SMALLEST + (LARGEST - SMALLEST) * share + (isOpen ? 2 : 0)),
      rank: (isOpen ? 0 : 1e9) - (relations[place] ?? 0),
      x: 0,
      y: 0,
    });
  }
}

/** Join the nodes that are there; all relations between two nodes are one line. */
function addEdges(graph: Drawn, shown: Shown): void {
  const { id } = shown.entities;
  const { head, tail, stated, phrase } = shown.relations;
  graph.clearEdges();
  head.forEach((from, place) => {
    const one = id[from];
    const other = id[tail[place] ?? 0];
    if (one === undefined || other === undefined || one === other) return;
    if (!graph.hasNode(one) || !graph.hasNode(other)) return;
    const wider = Math.log2(1 + (stated[place] ?? 1)) / 2;
    const edge = graph.edge(one, other) ?? graph.edge(other, one);
    if (edge === undefined) {
      const size = THINNEST + Math.min(wider, WIDEST - THINNEST);
      graph.addEdge(one, other, { relations: [place], size, both: false, label: phrase[place] ?? "" });
      return;
    }
    const known = graph.getEdgeAttributes(edge);
    graph.mergeEdgeAttributes(edge, {
      relations: [...known.relations, place],
      both: known.both || graph.source(edge) !== one,
      size: Math.min(known.size + wider / 2, WIDEST),
    });
  });
}
