// The picture: nodes and lines by WebGL, labels above them.

import { DirectedGraph } from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeRectangleProgram } from "sigma/rendering";

import { mixed, readColours, type Colours } from "./colours";
import { shortened, type Drawn, type Edge, type Node } from "./graph";
import { drawLabels, type Label } from "./labels";
import type { Sheet } from "./layout";

/** How much of the page's colour is in what does not touch the node that is pointed at. */
const FADED = 0.8;

const PADDING = 40;
const MOVE = { duration: 200 };

/** Moves of a held mouse that make a drag of a click, as in Sigma. */
const DRAG = 3;

export interface Clicks {
  node(id: string): void;
  edge(id: string): void;
}

export class Drawing {
  private colours: Colours = readColours();
  private graph: Drawn = new DirectedGraph<Node, Edge>();
  private labels: Label[] = [];
  private isWhole = false;
  private pointed: string | null = null;
  /** A node or an edge. */
  private chosen: string | null = null;
  private hoveredEdge: string | null = null;
  private held: string | null = null;
  private moves = 0;
  private readonly sigma: Sigma;

  /** Throws where the browser has no WebGL. */
  constructor(
    private readonly container: HTMLElement,
    clicks: Clicks,
  ) {
    this.sigma = new Sigma(this.graph as DirectedGraph, container, {
      allowInvalidContainer: true,
      enableEdgeEvents: true,
      edgeProgramClasses: { arrow: EdgeArrowProgram, line: EdgeRectangleProgram },
      stagePadding: PADDING,
      zIndex: true,
      minCameraRatio: 0.05,
      maxCameraRatio: 4,
      nodeReducer: (id, node) => ({ ...this.nodeStyle(id, node as Node), forceLabel: true }),
      edgeReducer: (id, edge) => this.edgeStyle(id, edge as Edge),
      defaultDrawNodeLabel: (_context, data) => {
        this.labels.push({
          key: String(data["key"]),
          text: data.label ?? "",
          x: data.x,
          y: data.y,
          size: data.size,
          rank: Number(data["rank"]),
          bold: (Boolean(data["opened"]) && !this.isWhole) || data["key"] === this.pointed || data["key"] === this.chosen,
          colour: data.zIndex === 0 ? mixed(this.colours.soft, this.colours.page, 0.5) : this.colours.text,
        });
      },
      defaultDrawNodeHover: () => undefined,
    });
    this.sigma.on("beforeRender", () => {
      this.labels = [];
    });
    this.sigma.on("afterRender", () => {
      const canvas = this.sigma.getCanvases()["labels"];
      const context = canvas?.getContext("2d");
      const labels = [...this.labels, ...this.lineLabels()];
      if (context) drawLabels(context, labels, this.sigma.getDimensions(), this.colours.page);
    });
    this.sigma.on("clickNode", ({ node }) => this.moves < DRAG && clicks.node(node));
    this.sigma.on("clickEdge", ({ edge }) => this.moves < DRAG && clicks.edge(edge));
    this.letDrag();
    this.sigma.on("enterNode", ({ node }) => {
      this.point(node);
      container.title = this.graph.getNodeAttribute(node, "name");
    });
    this.sigma.on("leaveNode", () => {
      this.point(null);
      container.title = "";
    });
    this.sigma.on("enterEdge", ({ edge }) => this.hover(edge));
    this.sigma.on("leaveEdge", () => this.hover(null));
  }

  /** Return the size of the part of the canvas that nodes are drawn on, in pixels. */
  sheet(): Sheet {
    const { clientWidth, clientHeight } = this.container;
    return { width: clientWidth - 2 * PADDING, height: clientHeight - 2 * PADDING };
  }

  show(graph: Drawn): void {
    this.graph = graph;
    this.isWhole = graph.everyNode((_, node) => node.opened);
    this.pointed = null;
    this.chosen = null;
    this.hoveredEdge = null;
    this.held = null;
    this.sigma.setGraph(graph as DirectedGraph);
    this.fit();
  }

  /** Emphasise a node and what it is tied to; null for none. */
  point(id: string | null): void {
    this.pointed = id !== null && this.graph.hasNode(id) ? id : null;
    this.container.classList.toggle("pointed", this.pointed !== null);
    this.sigma.refresh({ skipIndexation: true });
  }

  /** Move a node into the picture where it is not in it. */
  bring(id: string): void {
    const place = this.sigma.getNodeDisplayData(id);
    if (!place) return;
    const { x, y } = this.sigma.framedGraphToViewport(place);
    const { width, height } = this.sigma.getDimensions();
    if (x < 0 || y < 0 || x > width || y > height) {
      void this.sigma.getCamera().animate({ x: place.x, y: place.y }, MOVE);
    }
  }

  choose(id: string): void {
    this.chosen = id;
    this.sigma.refresh({ skipIndexation: true });
  }

  zoom(factor: number): void {
    const camera = this.sigma.getCamera();
    camera.setState({ ratio: camera.getBoundedRatio(camera.ratio * factor) });
  }

  fit(): void {
    this.sigma.setCustomBBox(null);
    this.sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
    this.sigma.refresh();
  }

  /** Read the colours of the page again. */
  recolour(): void {
    this.colours = readColours();
    this.sigma.refresh();
  }

  /** Return the picture as it is on the screen. */
  picture(): Promise<Blob> {
    this.sigma.refresh();
    const layers = this.sigma.getCanvases();
    const sheet = document.createElement("canvas");
    const first = Object.values(layers)[0];
    sheet.width = first?.width ?? 1;
    sheet.height = first?.height ?? 1;
    const context = sheet.getContext("2d");
    if (!context) return Promise.reject(new Error("no canvas"));
    context.fillStyle = this.colours.page;
    context.fillRect(0, 0, sheet.width, sheet.height);
    for (const name of ["edges", "nodes", "labels"]) {
      const layer = layers[name];
      if (layer) context.drawImage(layer, 0, 0, sheet.width, sheet.height);
    }
    return new Promise((resolve, reject) => {
      sheet.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
    });
  }

  /** Let a mouse move nodes; the frame stays while it does. */
  private letDrag(): void {
    const mouse = this.sigma.getMouseCaptor();
    mouse.on("mousedown", () => {
      this.moves = 0;
    });
    mouse.on("mouseup", () => {
      this.held = null;
    });
    this.sigma.on("downNode", ({ node, event }) => {
      if (event.original instanceof MouseEvent) this.held = node;
    });
    this.sigma.on("moveBody", ({ event }) => {
      if (this.held === null) return;
      event.preventSigmaDefault();
      this.moves += 1;
      if (this.moves < DRAG) return;
      if (!this.sigma.getCustomBBox()) this.sigma.setCustomBBox(this.sigma.getBBox());
      this.graph.mergeNodeAttributes(this.held, this.sigma.viewportToGraph(event));
    });
  }

  private hover(id: string | null): void {
    this.hoveredEdge = id;
    this.container.classList.toggle("pointed", id !== null);
    this.container.title = id === null ? "" : this.wordsOf(id);
    this.sigma.refresh({ skipIndexation: true });
  }

  private wordsOf(id: string): string {
    const [head, tail] = this.graph.extremities(id).map((end) => this.graph.getNodeAttribute(end, "name"));
    return `${head} ${this.graph.getEdgeAttribute(id, "label")} ${tail}`;
  }

  /** Return the words of lines: others give way to those pointed at or chosen, the rest fills room. */
  private lineLabels(): Label[] {
    const { accent, text, soft, page } = this.colours;
    const resting = this.pointed === null ? soft : mixed(soft, page, 0.5);
    return this.graph.mapEdges((id, { label, relations, size }, _head, _tail, head, tail) => {
      const [one, other] = [this.sigma.graphToViewport(head), this.sigma.graphToViewport(tail)];
      const more = relations.length > 1 ? ` +${relations.length - 1}` : "";
      const [bold, near] = [this.isBright(id), this.touches(id, this.pointed) || this.touches(id, this.chosen)];
      const rank = bold ? -2e9 : near ? -5e8 : 2e9;
      return {
        key: id,
        text: `${shortened((bold ? label : label.split(" … ")[0]) ?? "")}${more}`,
        ...one,
        size: 0,
        rank: rank - size,
        bold,
        colour: bold ? accent : near ? text : resting,
        line: { x: other.x - one.x, y: other.y - one.y },
      };
    });
  }

  private isBright(edge: string): boolean {
    return edge === this.chosen || edge === this.hoveredEdge;
  }

  private touches(edge: string, node: string | null): boolean {
    return node !== null && this.graph.hasNode(node) && this.graph.hasExtremity(edge, node);
  }

  private nodeStyle(id: string, node: Node): Partial<Node> & { color: string; zIndex: number } {
    const { types, plain, page } = this.colours;
    const own = (node.colour === null ? undefined : types[node.colour]) ?? plain;
    const near =
      this.pointed === null || id === this.pointed || this.graph.areNeighbors(id, this.pointed);
    const rank = id === this.pointed || id === this.chosen ? -1e9 : node.rank;
    return { ...node, rank, color: near ? own : mixed(own, page, FADED), zIndex: near ? 1 : 0 };
  }

  private edgeStyle(id: string, edge: Edge): Record<string, unknown> {
    const { line, page, accent } = this.colours;
    const bright = this.isBright(id);
    const near = this.pointed === null || this.touches(id, this.pointed);
    return {
      size: edge.size + (bright ? 1 : 0),
      type: edge.both ? "line" : "arrow",
      color: bright ? accent : near ? line : mixed(line, page, FADED),
      label: null,
      zIndex: bright ? 2 : near ? 1 : 0,
    };
  }
}
