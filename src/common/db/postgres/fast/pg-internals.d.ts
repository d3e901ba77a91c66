declare module 'pg/lib/utils.js' {
  /** A value as pg sends it: text, bytes or null. */
  export function prepareValue(value: unknown): Buffer | string | null;
}
