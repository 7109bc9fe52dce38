// The entities of the picture as a list: for the keyboard, and for those who do not see the picture.

import type { Drawn } from "./graph";
import { NO_TYPE } from "./data";
import { element } from "./elements";

export interface Choices {
  choose(id: string): void;
  point(id: string | null): void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

export class NodeList {
  private ids: readonly string[] = [];
  private active = -1;

  constructor(
    private readonly list: HTMLElement,
    private readonly act: Choices,
  ) {
    list.tabIndex = 0;
    list.addEventListener("keydown", (event) => this.pressed(event));
    list.addEventListener("focus", () => this.move(Math.max(this.active, 0)));
    list.addEventListener("blur", () => act.point(null));
    list.addEventListener("click", (event) => {
      const item = (event.target as Element).closest("li");
      const place = item ? [...list.children].indexOf(item) : -1;
      if (place >= 0) this.choose(place);
    });
  }

  show(graph: Drawn): void {
    const before = this.ids[this.active];
    this.ids = graph.nodes();
    this.active = before === undefined ? -1 : this.ids.indexOf(before);
    const isWhole = graph.everyNode((_, node) => node.opened);
    const items = graph.mapNodes((_, node) => {
      const type = node.entityType === NO_TYPE ? "" : ` ${node.entityType}`;
      const item = element("li", { text: node.name }, element("span", { css: "soft", text: type }));
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      if (node.opened && !isWhole) item.classList.add("opened");
      return item;
    });
    items.forEach((item, place) => {
      item.id = `node-${place}`;
    });
    this.list.replaceChildren(...items);
    this.mark();
  }

  private pressed(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (step) this.move(this.active + step);
    else if (event.key === "Home") this.move(0);
    else if (event.key === "End") this.move(this.ids.length - 1);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.active);
    else return;
    event.preventDefault();
  }

  private move(place: number): void {
    if (!this.ids.length) return;
    this.active = Math.min(Math.max(place, 0), this.ids.length - 1);
    this.mark();
    this.act.point(this.ids[this.active] ?? null);
  }

  private choose(place: number): void {
    const id = this.ids[place];
    if (id === undefined) return;
    this.active = place;
    this.mark();
    this.act.choose(id);
  }

  private mark(): void {
    [...this.list.children].forEach((item, place) => {
      item.setAttribute("aria-selected", String(place === this.active));
    });
    const item = this.list.children[this.active];
    if (!(item instanceof HTMLElement)) {
      this.list.removeAttribute("aria-activedescendant");
      return;
    }
    this.list.setAttribute("aria-activedescendant", item.id);
    const { offsetTop, offsetHeight } = item;
    const { scrollTop, clientHeight } = this.list;
    if (offsetTop < scrollTop) this.list.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > scrollTop + clientHeight) {
      this.list.scrollTop = offsetTop + offsetHeight - clientHeight;
    }
  }
}
