import type { Vault } from '../../auth/credentials/vault.js';

/** Longer than any name of this service. */
const MAX_NAME_LENGTH = 300;

/**
 * Names of files that consist of ids and of a signature of this service for one purpose. Clients fetch them by the path alone,
 * with or without a signature of theirs.
 */
export class SignedNames {
  constructor(
    private readonly vault: Vault,
    private readonly purpose: string,
  ) {}

  /** The name for these ids, with an ending such as `.csv`. */
  of(ids: readonly string[], ending: string): string {
    const text = ids.join('.');
    return `${text}.${this.vault.sign(this.purpose, text)}${ending}`;
  }

  /** The ids of a name; undefined for a name that this service did not create. */
  read(name: string, ending: string): string[] | undefined {
    if (name.length > MAX_NAME_LENGTH || !name.endsWith(ending)) return undefined;
    const ids = name.slice(0, -ending.length).split('.');
    const signature = ids.pop()!;
    return ids.length > 0 && this.vault.isSigned(this.purpose, ids.join('.'), signature) ? ids : undefined;
  }
}
