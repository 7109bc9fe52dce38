// Elements of the page. What documents say is only ever set as text.

export function byId<Kind extends HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  about: { text?: string; css?: string } = {},
  ...children: Node[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (about.text !== undefined) made.textContent = about.text;
  if (about.css) made.className = about.css;
  made.append(...children);
  return made;
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const made = element("button", { text });
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** Return a link; the text alone where there is no address. */
export function link(text: string, address: string | null): HTMLElement {
  if (address === null) return element("span", { text });
  const made = element("a", { text });
  made.href = address;
  return made;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
