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

/** Draw labels on a canvas; nodes keep clear of them, too, as far as there is room. */
export function drawLabels(
  context: CanvasRenderingContext2D,
  labels: readonly Label[],
  sheet: { width: number; height: number },
  halo: string,
): void {
  const taken: Box[] = [];
  const ordered = [...labels].sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  const nodes = ordered.map((one) => boxAround(one.x, one.y, one.size, one.size));
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = halo;
  for (const label of ordered) {
    context.font = fontOf(label);
    const width = context.measureText(label.text).width;
    const own = boxAround(label.x, label.y, label.size, label.size);
    const box = placesOf(label, width)
      .filter((one) => isInside(one, sheet))
      .find((one) => !meets(one, taken) && !meets(one, nodes.filter((node) => !same(node, own))));
    const fallback = placesOf(label, width).find((one) => isInside(one, sheet) && !meets(one, taken));
    const chosen = box ?? (label.bold ? fallback : undefined);
    if (!chosen) continue;
    taken.push(chosen);
    const middle = (chosen.top + chosen.bottom) / 2;
    context.strokeText(label.text, chosen.left, middle);
    context.fillStyle = label.colour;
    context.fillText(label.text, chosen.left, middle);
  }
}

function fontOf(label: Label): string {
  return `${label.bold ? 600 : 400} ${FONT_SIZE}px ${FAMILY}`;
}

/** Return where a label may stand, the usual place first: right, left, below, above. */
function placesOf(label: Label, width: number): Box[] {
  const { x, y, size } = label;
  const beside = size + GAP;
  const box = (left: number, middle: number): Box => ({
    left,
    right: left + width,
    top: middle - HALF,
    bottom: middle + HALF,
  });
  return [
    box(x + beside, y),
    box(x - beside - width, y),
    box(x - width / 2, y + beside + HALF),
    box(x - width / 2, y - beside - HALF),
  ];
}

function boxAround(x: number, y: number, width: number, height: number): Box {
  return { left: x - width, right: x + width, top: y - height, bottom: y + height };
}

function isInside(box: Box, sheet: { width: number; height: number }): boolean {
  return box.left >= 0 && box.top >= 0 && box.right <= sheet.width && box.bottom <= sheet.height;
}

function meets(box: Box, others: readonly Box[]): boolean {
  return others.some(
    (one) =>
      box.left < one.right && one.left < box.right && box.top < one.bottom && one.top < box.bottom,
  );
}

function same(one: Box, other: Box): boolean {
  return one.left === other.left && one.top === other.top && one.right === other.right;
}
