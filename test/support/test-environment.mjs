import { TestEnvironment } from 'jest-environment-node';
import { serveModules, stopServingModules } from './compiled-modules.mjs';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    serveModules(this.global);
  }

  async teardown() {
    stopServingModules();
    await super.teardown();
  }
}
