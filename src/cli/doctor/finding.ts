/** What a check found. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** `skipped`: it could not be checked, or there is nothing to check. */
  state: 'ok' | 'problem' | 'skipped';
  found: string;
  /** How to correct a problem. */
  remedy?: string;
}

export const okFinding = (check: string, found: string): Finding => ({ check, state: 'ok', found });
export const skippedFinding = (check: string, found: string): Finding => ({ check, state: 'skipped', found });
export const problemFinding = (check: string, found: string, remedy: string): Finding => ({
  check,
  state: 'problem',
  found,
  remedy,
});

/** A problem in the words of a CommandRefusal, which has its remedy after a semicolon. */
export function problemInMessage(check: string, message: string, otherwise: string): Finding {
  const cut = message.indexOf('; ');
  return cut < 0
    ? problemFinding(check, message, otherwise)
    : problemFinding(check, message.slice(0, cut), message.slice(cut + 2));
}
