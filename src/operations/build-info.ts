import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { VERSION } from './version.js';

/** Shows which release runs, so that a roll-out can be seen beside what it changes. */
@Injectable()
export class BuildInfo {
  constructor(metrics: Metrics) {
    metrics.info('build_info', 'Which release this is, and what it runs on', {
      version: VERSION,
      node: process.version,
    });
  }
}
