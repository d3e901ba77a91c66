/**
 * Runs spec files with a mistake of `scripts/mutants.mjs`, one order after the other, and answers whether all passed. What Node has
 * loaded of the service and of the packages stays loaded, which is most of the time that a process of Jest takes.
 */
import process from 'node:process';
import { setInterval } from 'node:timers';
import { runCLI } from 'jest';
import { make } from './mutant-switch.mjs';

const OPTIONS = {
  config: 'jest.config.mjs',
  ...{ selectProjects: ['unit', 'e2e'], runTestsByPath: true, runInBand: true, silent: true, reporters: [] },
};

const literally = (name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

process.on('message', async ({ number, spec, names }) => {
  process.env.MUTANT = String(number);
  make(number);
  const named = names.length > 0 ? { testNamePattern: `^(${names.map(literally).join('|')})$` } : {};
  const { results } = await runCLI({ ...OPTIONS, ...named, _: [spec], $0: 'mutants' }, [process.cwd()]);
  process.send({ passes: results.success });
});
process.on('disconnect', () => process.exit());
// spec files may take the listeners away that keep it
setInterval(() => undefined, 60_000);
