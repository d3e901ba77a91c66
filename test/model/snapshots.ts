import { expect } from '@jest/globals';
import type { Beside } from './service.js';
import type { Resource } from './world.js';

/** What may be done with the state of the account in the sandbox. */
export type SnapshotStep = 'SAVE' | 'RESTORE' | 'RESET';

/**
 * The snapshot of the account in the sandbox. A restored account has what it had, with the same ids, and nothing else; a reset one has
 * nothing. History and events know of neither.
 */
export class Snapshots {
  private saved: Resource[] | undefined;

  constructor(private readonly beside: Beside) {}

  async take(step: SnapshotStep): Promise<void> {
    const { accounts, callers, replica } = this.beside;
    const account = accounts.find(({ environment }) => environment === 'sandbox')!;
    const [{ api }] = callers;
    const call = async (method: string, path: string, form?: Record<string, string>) =>
      (await api.call(method, `/workbench/${path}`, { form, replica })).status;
    if (step === 'SAVE') {
      const status = await call('PUT', 'snapshots/model', { account_ids: account.id });
      expect(status).toBe(this.saved ? 200 : 201);
      this.saved = account.resources.map((each) => ({ ...each }));
    } else if (step === 'RESTORE') {
      expect(await call('POST', 'snapshots/model/restore')).toBe(this.saved ? 200 : 404);
      if (this.saved) account.become(this.saved);
    } else {
      expect(await call('POST', 'reset', { account_ids: account.id, to: 'EMPTY' })).toBe(200);
      account.become([]);
    }
  }
}
