import { openInBrowser } from '../../../src/cli/open-in-browser.js';
import type { ProcessTerminal } from '../../../src/cli/terminal.js';

it('says that no browser could be opened', async () => {
  const told: string[] = [];
  const terminal = { err: (text: string) => void told.push(text) } as unknown as ProcessTerminal;
  // what is no address is refused before any browser is looked for
  await openInBrowser(undefined as unknown as string, terminal);
  expect(told).toEqual(['No browser could be opened.\n']);
});
