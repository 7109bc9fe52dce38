// The colours of the page, read from its style, so that light and dark need no code.

export const TYPE_COLOURS = 6;

export interface Colours {
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly page: string;
  readonly accent: string;
  readonly plain: string;
  readonly types: readonly string[];
}

export function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: read("text"),
    soft: read("soft"),
    line: read("edge"),
    page: read("page"),
    accent: read("accent"),
    plain: read("type-other"),
    types: Array.from({ length: TYPE_COLOURS }, (_, place) => read(`type-${place + 1}`)),
  };
}

/** Return a colour with a share of another one; both are written as #rrggbb. */
export function mixed(one: string, other: string, share: number): string {
  const part = (colour: string, place: number): number =>
    Number.parseInt(colour.slice(1 + 2 * place, 3 + 2 * place), 16);
  const digits = [0, 1, 2].map((place) => {
    const value = Math.round((1 - share) * part(one, place) + share * part(other, place));
    return value.toString(16).padStart(2, "0");
  });
  return `#${digits.join("")}`;
}
