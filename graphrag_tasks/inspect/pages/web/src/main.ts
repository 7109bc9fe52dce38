// The graph page: asks for what the address says, draws it, and keeps both together. The map page
// runs the same script.

import { Fragment, Query, type Address, type View } from "./address";
import { NO_TYPE, Refused, Server, type Shown, type Source } from "./data";
import { Drawing } from "./drawing";
import { button, byId, counted, element } from "./elements";
import { Enclosed } from "./enclosed";
import { colouredTypes, makeGraph, type Drawn } from "./graph";
import { NodeList } from "./list";
import { startMap } from "./map";
import { entityPanel, relationPanel, type Line } from "./panel";

/** As the server has them: relations of one line whose sentences it tells, and names of a view. */
const MOST_AT_ONCE = 50;
const MOST_NAMES = 20;

const HINT = "Choose an entity to add its neighbours, or a line to read its sentences.";
const HINT_OF_ALL = "Choose an entity to read about it, or a line to read its sentences.";

const TYPING_PAUSE_MS = 200;

class Page {
  private readonly source: Source;
  private readonly address: Address;
  private readonly form = byId<HTMLFormElement>("wanted");
  private readonly name = this.form.elements.namedItem("name") as HTMLInputElement;
  private readonly panel = byId("panel");
  private readonly drawing: Drawing;
  private readonly list: NodeList;
  private view: View;
  private shown: Shown | null = null;
  private graph: Drawn | null = null;
  /** Counts what was asked, so that a late answer changes nothing. */
  private asked = 0;

  constructor() {
    const held = document.getElementById("held")?.textContent;
    this.source = held ? new Enclosed(held) : new Server(byId("graph").dataset["at"] ?? "");
    this.address = held ? new Fragment(byId("graph").dataset["start"] ?? "") : new Query();
    this.view = this.address.view();
    this.drawing = new Drawing(byId("canvas"), {
      node: (id) => void this.choose(id),
      edge: (id) => void this.chooseEdge(id),
    });
    this.list = new NodeList(byId("nodes"), {
      choose: (id) => void this.choose(id),
      point: (id) => {
        this.drawing.point(id);
        if (id !== null) this.drawing.bring(id);
      },
    });
    this.listen();
  }

  /** Draw what the address says. */
  open(): Promise<void> {
    return this.show(this.view, false);
  }

  /** Draw a view; `push` makes it a new entry of the browser's history. */
  async show(view: View, push: boolean): Promise<void> {
    const asked = ++this.asked;
    this.fillForm(view);
    try {
      const shown = await this.source.shown(view);
      if (asked !== this.asked) return;
      this.view = view;
      this.shown = shown;
      if (push) history.pushState(null, "", this.address.of(view));
      this.draw(shown);
      this.tell("");
    } catch (error) {
      if (asked === this.asked) this.tell(reason(error));
    }
  }

  private draw(shown: Shown): void {
    byId("drawn").hidden = false;
    byId("save").hidden = false;
    byId("picture").hidden = false;
    for (const id of ["listed", "none", "similar"]) document.getElementById(id)?.remove();
    document.title = `${this.view.names[0] ? `Graph of ${this.view.names[0]}` : "Graph"} – GraphRAG`;
    const hint = this.view.names.length ? HINT : HINT_OF_ALL;
    this.put(() => this.panel.replaceChildren(element("p", { css: "soft", text: hint })));
    this.fillTypes(shown);
    this.fillDocuments(shown);
    this.notice(shown);
    this.graph = makeGraph(shown, this.drawing.sheet());
    this.drawing.show(this.graph);
    this.list.show(this.graph);
    const file = this.source.file(this.view);
    if (file !== null) byId<HTMLAnchorElement>("graphml").href = file;
  }

  private notice(shown: Shown): void {
    const lines = shown.steps.name.flatMap((name, place) => {
      const [some, all] = [shown.steps.shown[place] ?? 0, shown.steps.of[place] ?? 0];
      if (!all && name) return [element("p", { css: "soft", text: `${name} has no neighbours by these relations.` })];
      if (some >= all) return [];
      const what = this.view.kinds.join() === "fact" ? "facts" : "relations";
      const text = name
        ? `${name}: ${some.toLocaleString("en")} of ${counted(all, "neighbour")} shown. `
        : `The ${some.toLocaleString("en")} entities with most ${what}; enter a name to see others. `;
      const line = element("p", { css: "soft", text });
      const next = this.choicesOfMost().find((one) => one > this.view.most);
      if (next) {
        const more = button(`Show up to ${next}`, () => void this.show({ ...this.view, most: next }, true));
        more.className = "plain";
        line.append(more);
      }
      return [line];
    });
    const { entities, relations } = shown;
    const total = `${counted(entities.id.length, "entity", "entities")}, ${counted(relations.id.length, "relation")} shown.`;
    const left = shown.omitted ? ` ${counted(shown.omitted, "weaker relation")} between them left out.` : "";
    const notices = byId("notices");
    const hadFocus = notices.contains(document.activeElement);
    notices.replaceChildren(...lines, element("p", { css: "soft", text: total + left }));
    if (hadFocus) byId("nodes").focus();
  }

  private choicesOfMost(): number[] {
    const choice = this.form.elements.namedItem("most") as HTMLSelectElement;
    return [...choice.options].map((one) => Number(one.value));
  }

  /** Tell of an entity, and add its neighbours where they are not shown yet. */
  private async choose(id: string): Promise<void> {
    const node = this.graph?.hasNode(id) ? this.graph.getNodeAttributes(id) : null;
    if (!node) return;
    if (!node.opened) {
      if (this.view.names.length >= MOST_NAMES) {
        this.tell(`Neighbours of ${MOST_NAMES} entities are shown; fold one to add others.`);
      } else await this.show({ ...this.view, names: [...this.view.names, node.name] }, true);
    }
    await this.tellOf(id);
  }

  private async tellOf(id: string): Promise<void> {
    const graph = this.graph;
    if (!graph?.hasNode(id)) return;
    const { name, opened } = graph.getNodeAttributes(id);
    this.drawing.choose(id);
    await this.fill(async () => {
      const entity = await this.source.entity(id);
      const others = this.view.names.filter((one) => one !== name);
      return () =>
        entityPanel(this.panel, this.source, entity, this.linesOf(graph, id), {
          opened,
          first: others.length === this.view.names.length || this.view.names[0] === name,
          whole: !this.view.names.length,
          open: () => void this.choose(id),
          fold: () => void this.show({ ...this.view, names: others }, true),
          startHere: () => void this.show({ ...this.view, names: [name] }, true),
        });
    });
  }

  private linesOf(graph: Drawn, id: string): Line[] {
    const relations = this.shown?.relations;
    if (!relations) return [];
    return graph.edges(id).flatMap((edge) =>
      graph.getEdgeAttribute(edge, "relations").map((place) => ({
        words: this.wordsOf(place),
        choose: () => void this.chooseEdge(edge),
      })),
    );
  }

  private wordsOf(place: number): string {
    const shown = this.shown;
    const nameAt = (end: number | undefined): string => shown?.entities.name[end ?? -1] ?? "";
    const { head, phrase, tail } = shown?.relations ?? { head: [], phrase: [], tail: [] };
    return `${nameAt(head[place])} ${phrase[place]} ${nameAt(tail[place])}`;
  }

  private async chooseEdge(id: string): Promise<void> {
    const places = this.graph?.hasEdge(id) ? this.graph.getEdgeAttribute(id, "relations") : [];
    const ids = places.flatMap((place) => this.shown?.relations.id[place] ?? []);
    if (!ids.length) return;
    this.drawing.choose(id);
    await this.fill(async () => {
      const stated = await this.source.stated(ids.slice(0, MOST_AT_ONCE));
      return () => relationPanel(this.panel, this.source, stated, ids.length - stated.relations.id.length);
    });
  }

  /** Fill the panel with what the server tells, unless something else was asked meanwhile. */
  private async fill(ask: () => Promise<() => void>): Promise<void> {
    const asked = ++this.asked;
    try {
      const put = await ask();
      if (asked !== this.asked) return;
      this.put(put);
    } catch (error) {
      if (asked === this.asked) this.tell(reason(error));
    }
  }

  private put(fill: () => void): void {
    const hadFocus = this.panel.contains(document.activeElement);
    fill();
    this.panel.scrollTop = 0;
    if (hadFocus) this.panel.focus();
  }

  private fillForm(view: View): void {
    this.name.value = view.names[0] ?? "";
    for (const field of this.form.elements) {
      if (field instanceof HTMLInputElement && field.name === "kind") {
        field.checked = view.kinds.includes(field.value);
      } else if (field instanceof HTMLInputElement && field.name === "least") {
        field.value = String(view.least);
      } else if (field instanceof HTMLSelectElement && field.name === "most") {
        field.value = String(view.most);
      }
    }
  }

  private fillDocuments(shown: Shown): void {
    const choice = this.form.elements.namedItem("document") as HTMLSelectElement;
    const all = element("option", { text: "all" });
    all.value = "";
    const options = shown.documents.id.map((id, place) => {
      const option = element("option", { text: shown.documents.title[place] ?? "" });
      option.value = id;
      return option;
    });
    choice.replaceChildren(all, ...options);
    choice.value = this.view.document;
  }

  /** Fill the legend, whose ticks hide types. */
  private fillTypes(shown: Shown): void {
    const { hidden } = this.view;
    const coloured = colouredTypes(shown);
    const counts = new Map<string, number>(hidden.map((type) => [type, 0]));
    for (const type of shown.entities.type) counts.set(type, (counts.get(type) ?? 0) + 1);
    const place = (type: string): number => (coloured.includes(type) ? coloured.indexOf(type) : 99);
    const types = [...counts.keys()].sort(
      (a, b) => place(a) - place(b) || (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1),
    );
    const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.name : "";
    const ticks = types.map((type) => {
      const tick = element("input");
      tick.type = "checkbox";
      tick.name = `type ${type}`;
      tick.checked = !hidden.includes(type);
      tick.addEventListener("change", () => {
        const others = hidden.filter((one) => one !== type);
        void this.show({ ...this.view, hidden: tick.checked ? others : [...others, type] }, true);
      });
      const swatch = element("span", { css: `swatch of-${place(type) + 1}` });
      const words = ` ${type === NO_TYPE ? "no type" : type} ${counts.get(type) || ""}`;
      return element("label", { css: "tick" }, tick, swatch, document.createTextNode(words));
    });
    const isFirst = (type: string): boolean =>
      coloured.includes(type) || type === NO_TYPE || hidden.includes(type);
    const first = ticks.filter((_, place) => isFirst(types[place] ?? ""));
    const rest = ticks.filter((_, place) => !isFirst(types[place] ?? ""));
    const more = element("details", {}, element("summary", { text: counted(rest.length, "other type") }), ...rest);
    more.open = byId("types").querySelector("details")?.open ?? false;
    byId("types").replaceChildren(...first, ...(rest.length ? [more] : []));
    ticks.map((tick) => tick.control).find((tick) => tick instanceof HTMLInputElement && tick.name === focused)?.focus();
  }

  private tell(problem: string): void {
    byId("problem").textContent = problem;
  }

  private wanted(names: readonly string[]): View {
    const given = new FormData(this.form);
    return {
      names,
      kinds: given.getAll("kind").map(String),
      hidden: this.view.hidden,
      least: Number(given.get("least")) || 0,
      document: String(given.get("document") ?? ""),
      most: Number(given.get("most")),
      community: names.length ? "" : this.view.community,
    };
  }

  private listen(): void {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.name.value.trim();
      void this.show({ ...this.wanted(name ? [name] : []), document: "" }, true);
    });
    this.form.addEventListener("change", (event) => {
      if (event.target === this.name) return;
      const view = this.wanted(this.view.names);
      if (!view.kinds.length) this.tell("Tick at least one kind of relation.");
      else if (this.form.reportValidity()) void this.show(view, true);
    });
    let pause = 0;
    this.name.addEventListener("input", () => {
      clearTimeout(pause);
      pause = window.setTimeout(() => void this.suggest(), TYPING_PAUSE_MS);
    });
    byId("nearer").addEventListener("click", () => this.drawing.zoom(1 / 1.4));
    byId("farther").addEventListener("click", () => this.drawing.zoom(1.4));
    byId("whole").addEventListener("click", () => this.drawing.fit());
    const full = byId("full");
    full.hidden = !document.fullscreenEnabled;
    full.addEventListener("click", () => {
      void (document.fullscreenElement ? document.exitFullscreen() : byId("drawn").requestFullscreen());
    });
    document.addEventListener("fullscreenchange", () => this.drawing.fit());
    byId("picture").addEventListener("click", () => void this.savePicture());
    window.addEventListener("popstate", () => void this.show(this.address.view(), false));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawing.recolour());
  }

  private async suggest(): Promise<void> {
    const text = this.name.value.trim();
    if (!text) return;
    try {
      const found = await this.source.names(text);
      if (text !== this.name.value.trim()) return;
      const options = found.name.map((name, place) => {
        const option = element("option", { text: found.type[place] ?? "" });
        option.value = name;
        return option;
      });
      byId("names").replaceChildren(...options);
    } catch {
      // Without suggestions the field still works.
    }
  }

  private async savePicture(): Promise<void> {
    const link = element("a");
    link.href = URL.createObjectURL(await this.drawing.picture());
    link.download = "graph.png";
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function reason(error: unknown): string {
  if (error instanceof Refused) return error.message;
  console.error(error);
  return "The graph could not be drawn.";
}

function start(): void {
  if (document.getElementById("map")) return startMap();
  try {
    void new Page().open();
  } catch (error) {
    byId("problem").textContent = "This browser does not draw WebGL; the list has the same relations.";
    console.warn(error);
  }
}

start();
