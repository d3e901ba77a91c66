/** The hash of an empty text. */
const EMPTY = 0x811c9dc5;

/**
 * FNV-1a over the UTF-16 code units of a text, 0 to 4,294,967,295: the same in every process, and no secret. `before` is the
 * hash of a text that precedes it.
 */
export function fnv1a(text: string, before = EMPTY): number {
  let hash = before;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
