// The map: communities, or the entities of one, as circles packed by d3-hierarchy.

import { packEnclose, packSiblings } from "d3-hierarchy";

import { byId, counted } from "./elements";

/** A community, or an entity, which has no id. `parent` is the id of another one shown, if any. */
interface Item {
  readonly id: string;
  readonly title: string;
  readonly size: number;
  readonly parent: string;
}

interface Circle {
  readonly item: Item;
  x: number;
  y: number;
  r: number;
}

/** Factor by which circles are enlarged while they are packed, and a circle's share for its content. */
const GAP = 1.05;
const FILL = 0.95;
/** Sizes of letters and height of a line, in pixels and as a share of the size. */
const LARGEST = 18;
const SMALLEST = 11;
const LINE = 1.15;
/** The golden angle: neighbours in rank get distant colours; entities have one. */
const HUE = 137.508;
const BLUE = 210;

const letters = document.createElement("canvas").getContext("2d");

function svg(tag: string, about: Record<string, string | number>, ...children: Node[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(about)) {
    made.setAttribute(name, typeof value === "number" ? value.toFixed(1) : value);
  }
  made.append(...children);
  return made;
}

/** Return circles in a circle; an area is `scale` squared times the size, or less where they do not fit. */
function packed(items: readonly Item[], around: Circle, scale = Infinity): Circle[] {
  const circles = packSiblings(items.map((item) => ({ item, x: 0, y: 0, r: GAP * Math.sqrt(item.size) })));
  const whole = packEnclose(circles);
  const factor = Math.min(scale, around.r / whole.r);
  return circles.map((one) => ({
    item: one.item,
    x: around.x + factor * (one.x - whole.x),
    y: around.y + factor * (one.y - whole.y),
    r: (factor * one.r) / GAP,
  }));
}

/** Return words in lines that fit a circle, or null. */
function fitted(words: readonly string[], radius: number, size: number): string[] | null {
  for (let count = 1; count * LINE * size < 2 * radius; count++) {
    const left = [...words];
    const lines = Array.from({ length: count }, (_, place) => {
      const edge = size * LINE * Math.max(Math.abs(place - count / 2), Math.abs(place + 1 - count / 2));
      const room = 2 * Math.sqrt(Math.max(radius ** 2 - edge ** 2, 0));
      let line = "";
      while (left[0] && (letters?.measureText(`${line} ${left[0]}`).width ?? Infinity) <= room) {
        line = `${line} ${left.shift()}`.trim();
      }
      return line;
    });
    if (!left.length && lines.every(Boolean)) return lines;
  }
  return null;
}

/** Return the name of a circle in the largest letters in which it fits, or what fits of its last part. */
function nameOf({ item, x, y, r }: Circle, family: string): SVGElement | null {
  const part = (item.title.split(", ").at(-1) ?? "").split(/\s+/);
  const cuts = part.map((_, cut) => part.slice(0, part.length - cut).join(" ") + (cut ? "…" : ""));
  const texts = [...Array<string>(LARGEST - SMALLEST + 1).fill(item.title), ...cuts];
  for (const [step, text] of texts.entries()) {
    const size = Math.max(LARGEST - step, SMALLEST);
    if (letters) letters.font = `${size}px ${family}`;
    const lines = fitted(text.split(/\s+/), FILL * r, size);
    if (!lines) continue;
    const top = y + size * (0.36 - ((lines.length - 1) / 2) * LINE);
    return svg("text", { "font-size": size }, ...lines.map((line, place) =>
      svg("tspan", { x, y: top + place * LINE * size }, document.createTextNode(line))));
  }
  return null;
}

function draw(picture: HTMLElement, items: readonly Item[]): void {
  const width = picture.clientWidth;
  const height = Math.min(width, Math.max(320, 0.8 * window.innerHeight));
  const root = { item: { id: "", title: "", size: 0, parent: "" }, x: width / 2, y: height / 2, r: height / 2 - 4 };
  const circles = packed(items.filter((item) => !item.parent), root);
  const inner = circles.flatMap((circle) => {
    const own = items.filter((item) => item.parent && item.parent === circle.item.id);
    return own.length ? packed(own, { ...circle, r: FILL * circle.r }, circle.r / Math.sqrt(circle.item.size) / GAP) : [];
  });
  const hues = new Map(circles.map(({ item }, place) => [item.id, item.id ? Math.round(place * HUE) % 360 : BLUE]));
  const shape = (circle: Circle, ...children: Node[]): SVGElement => {
    const hue = hues.get(circle.item.parent || circle.item.id) ?? BLUE;
    const colours = { fill: `hsl(${hue} 65% 50%)`, stroke: `hsl(${hue} 65% 45%)` };
    return svg("circle", { cx: circle.x, cy: circle.y, r: circle.r, ...colours }, ...children);
  };
  const links = circles.map((circle) => {
    const { id, title, size } = circle.item;
    const words = id ? `${title}: ${counted(size, "entity", "entities")}` : title;
    const href = id ? `map?community=${id}` : `entities?${new URLSearchParams({ name: title })}`;
    const told = svg("title", {}, document.createTextNode(words));
    return svg("a", { href, "aria-label": words }, shape(circle, told));
  });
  const family = getComputedStyle(picture).fontFamily;
  const names = circles.flatMap((circle) => nameOf(circle, family) ?? []);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.replaceChildren(
    ...links,
    svg("g", { class: "inner", "aria-hidden": "true" }, ...inner.map((circle) => shape(circle))),
    svg("g", { class: "words", "aria-hidden": "true" }, ...names),
  );
}

/** Draw the map that the page holds, and again where its width changes. */
export function startMap(): void {
  const picture = byId("map");
  const items = JSON.parse(byId("tree").textContent ?? "[]") as Item[];
  let width = 0;
  new ResizeObserver(() => {
    if (picture.clientWidth === width) return;
    width = picture.clientWidth;
    draw(picture, items);
  }).observe(picture);
  draw(picture, items);
}
