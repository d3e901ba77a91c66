import { TestEnvironment } from 'jest-environment-node';
import { serveModules, stopServingModules } from './compiled-modules.mjs';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    serveModules(this.global);
  }

  /** With a mistake, one test that fails is enough. */
  handleTestEvent({ name, test }) {
    if (process.env.MUTANT === undefined) return;
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }

  async teardown() {
    stopServingModules();
    await super.teardown();
  }
}
