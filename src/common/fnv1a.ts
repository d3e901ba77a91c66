/** FNV-1a over the UTF-16 code units of a text, 0 to 4,294,967,295: the same in every process, and no secret. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
