import { InvalidArgumentError, type Command } from 'commander';
import { collectValues } from '../parsing.js';
import type { Terminal } from '../terminal.js';
import { VOCABULARIES } from '../../config/config.js';
import { choice } from '../parsing.js';
import { withRunOptions } from '../fixtures/run-options.js';
import type { DriftOptions } from './drift.js';

/** `marquee drift`: compares recorded answers with those of this service. */
export function addDriftCommand(program: Command, terminal: Terminal): void {
  withRunOptions(
    program
      .command('drift')
      .summary('compare recorded answers with those of this service')
      .description(
        'Sends the requests of a record again, to this service, and lists how its answers differ: in status, error codes, fields, types, ' +
          'constants and order. The record is a HAR file, a JSON file, or a folder of them. The first account of the record is the account of the ' +
          'credentials; what a request creates has its id here in later requests. Times are moved by whole days. Requests to other hosts, and those without an answer, are skipped. It prints no value but ' +
          'constants, and no secret. With a difference the exit code is 1.',
      )
      .argument('<record>', 'a HAR file, a JSON file with {request, response} or a list of them, or a folder')
      .option('--map <recorded=here>', 'an id of the record, and the id here; may be repeated', pair)
      .option(
        '--caller <token=file>',
        'sign with this file what this token of the record signed; may be repeated',
        pair,
      )
      .option(
        '--names <vocabulary>',
        `the names of the record, ${VOCABULARIES.join(' or ')}`,
        choice(VOCABULARIES),
        'x',
      ),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee drift recorded.har --sandbox\n  $ marquee drift recorded/ --map 18ce54d4x5t=2k0hx5m1q9zta --json',
    )
    .action(async (record: string, options: DriftOptions) => {
      const { drift } = await import('./drift.js');
      await drift(terminal.path(record), options, terminal);
    });
}

function pair(given: string, before?: string[]): string[] {
  if (!/^[^=]+=./.test(given)) throw new InvalidArgumentError('It must have the form recorded=here.');
  return collectValues(given, before);
}
