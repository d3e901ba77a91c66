/** Decodes one name or value of a query string or form: `+` is a space, a stray `%` stays what it is. Never throws. */
export function decodeForm(text: string): string {
  if (!/[+%]/.test(text)) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    });
  }
}

/** The pairs of a query string or form body in their order: repeated names, empty values and missing `=` included. */
export function pairsOf(text: string): [name: string, value: string][] {
  if (text === '') return [];
  const pairs: [string, string][] = [];
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    const cut = piece.indexOf('=');
    if (cut < 0) pairs.push([decodeForm(piece), '']);
    else pairs.push([decodeForm(piece.slice(0, cut)), decodeForm(piece.slice(cut + 1))]);
  }
  return pairs;
}

export type Parameters = Record<string, string | string[]>;

/** The pairs as one object; a repeated name holds all its values. */
export function objectOf(pairs: [string, string][], into: Parameters = {}): Parameters {
  for (const [name, value] of pairs) {
    if (name === '__proto__') continue;
    const known = Object.hasOwn(into, name) ? into[name] : undefined;
    if (known === undefined) into[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else into[name] = [known, value];
  }
  return into;
}
