/** What the spec files of a process leave to the next one, which has all modules of tests anew. */
export interface Kept<Service> {
  /** What `useSharedApp` has started. */
  service?: Service;
  /** How many names were made up. */
  names: number;
}

export const keptBySpecFiles = <Service>(): Kept<Service> => (globalThis as unknown as { kept: Kept<Service> }).kept;
