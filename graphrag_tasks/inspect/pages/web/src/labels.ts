// Labels that never cover one another: those of hubs are placed first, one without room is left out.

export interface Label {
  readonly key: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly rank: number;
  readonly bold: boolean;
  readonly colour: string;
  /** The way from one end to the other, where it names a line in place of a node. */
  readonly line?: { readonly x: number; readonly y: number };
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const FONT_SIZE = 12;
const FAMILY = "system-ui, sans-serif";
const GAP = 3;
const HALF = FONT_SIZE * 0.62;

/** Where the words of a line may stand: shares of the way along it. */
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74];

/** Labels that may cover a node where there is no other room: those that say what the picture is. */
const HUBS = 12;

/** Draw labels on a canvas; nodes keep clear of them, too, as far as there is room. */
export function drawLabels(
  context: CanvasRenderingContext2D,
  labels: readonly Label[],
  sheet: { width: number; height: number },
  halo: string,
): void {
  const taken: Box[] = [];
  const ordered = [...labels].sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  const nodes = ordered.map((one) => boxAround(one.x, one.y, one.size));
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = halo;
  const hubs = ordered.filter((one) => !one.line).slice(0, HUBS);
  for (const label of ordered) {
    context.font = fontOf(label);
    const places = placesOf(label, context.measureText(label.text).width).filter(
      (one) => isInside(one, sheet) && !meets(one, taken),
    );
    const others = nodes.filter((_, place) => ordered[place] !== label && !ordered[place]?.line);
    const mayCover = label.line ? label.rank < 0 : label.bold || hubs.includes(label);
    const chosen = places.find((one) => !meets(one, others)) ?? (mayCover ? places[0] : undefined);
    if (!chosen) continue;
    taken.push(chosen);
    const middle = (chosen.top + chosen.bottom) / 2;
    context.strokeText(label.text, chosen.left, middle);
    context.fillStyle = label.colour;
    context.fillText(label.text, chosen.left, middle);
  }
}

function fontOf(label: Label): string {
  return `${label.bold ? 600 : 400} ${FONT_SIZE - (label.line ? 1 : 0)}px ${FAMILY}`;
}

/** Return where a label may stand, the usual place first: beside, below, above, at the corners. */
function placesOf(label: Label, width: number): Box[] {
  const { x, y, size, line } = label;
  const beside = size + GAP;
  const corner = 0.7 * size + HALF;
  const box = (left: number, middle: number): Box => ({
    left,
    right: left + width,
    top: middle - HALF,
    bottom: middle + HALF,
  });
  if (line) return ALONG.map((share) => box(x + share * line.x - width / 2, y + share * line.y));
  return [
    box(x + beside, y),
    box(x - beside - width, y),
    box(x - width / 2, y + beside + HALF),
    box(x - width / 2, y - beside - HALF),
    box(x + corner, y - corner),
    box(x + corner, y + corner),
    box(x - corner - width, y - corner),
    box(x - corner - width, y + corner),
  ];
}

function boxAround(x: number, y: number, reach: number): Box {
  return { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
}

function isInside(box: Box, sheet: { width: number; height: number }): boolean {
  return (
    box.left >= GAP && box.top >= 0 && box.right <= sheet.width - GAP && box.bottom <= sheet.height
  );
}

function meets(box: Box, others: readonly Box[]): boolean {
  return others.some(
    (one) =>
      box.left < one.right && one.left < box.right && box.top < one.bottom && one.top < box.bottom,
  );
}
