import type { ProcessTerminal } from './terminal.js';

/** Opens a page in the browser of this machine, and says so if there is none. */
export async function openInBrowser(page: string, terminal: ProcessTerminal): Promise<void> {
  const { default: open } = await import('open');
  const sayNone = () => terminal.err('No browser could be opened.\n');
  try {
    // it may be missing, which is only known later
    (await open(page)).on('error', sayNone);
  } catch {
    sayNone();
  }
}
