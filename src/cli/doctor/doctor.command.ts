import type { Command } from 'commander';
import { type Config, readConfig } from '../../config/config.js';
import { adminPath, replicaAdminPath } from '../admin-protocol.js';
import { print, type OutputOptions } from '../context.js';
import {
  baseUrlsOf,
  findCredentials,
  type FoundCredentials,
  type NamedCredentials,
} from '../credentials/credentials.js';
import { profileName } from '../credentials/profiles.js';
import { collectValues } from '../parsing.js';
import { runInService } from '../process-context.js';
import { Exit, CommandRefusal } from '../refusal.js';
import { describeError } from '../run.js';
import type { ProcessTerminal } from '../terminal.js';
import {
  askService,
  clockFinding,
  keysFinding,
  malformedFinding,
  proxyFinding,
  type ProxySettings,
  signedCall,
  urlsFinding,
} from './checks.js';
import { type Finding, skippedFinding, problemFinding, problemInMessage } from './finding.js';
import { storeFinding } from './store-finding.js';

type DoctorOptions = NamedCredentials & OutputOptions;

/** `marquee doctor`: what keeps requests from working, and how to correct it. */
export function addDoctorCommand(program: Command, terminal: ProcessTerminal): void {
  program
    .command('doctor')
    .summary('check clock, keys, URLs, proxy and store, and send a signed request')
    .description(
      'Checks what a signed request needs: the keys, the service at the base URL, the clock, the URLs that are signed, a proxy in ' +
        'between, and the store if it is configured here. Then sends GET /12/accounts. Each problem has its remedy, and the exit ' +
        'code is 1 if there is one. Credentials come from where `request` has them; an expired access token of OAuth 2.0 is refreshed. ' +
        'Nothing else is changed, and no secret is printed.',
    )
    .option(
      '-c, --credentials <file>',
      'check these credentials; may be repeated (default: as for `request`)',
      collectValues,
    )
    .option('-p, --profile <name>', 'check this login', profileName)
    .option('--json', 'print the findings as a JSON array')
    .addHelpText('after', '\nExamples:\n  $ marquee doctor\n  $ marquee doctor --credentials namespace.json --json')
    .action(async (options: DoctorOptions) => {
      const findings = await examine(options);
      print(terminal, options, { json: findings, text: findings.map(textOf).join('\n') });
      if (findings.some(({ state }) => state === 'problem')) throw new Exit(1);
    });
}

const MARKS = { ok: 'ok', problem: 'PROBLEM', skipped: 'skipped' };

function textOf({ check, state, found, remedy }: Finding): string {
  const line = `${MARKS[state].padEnd(8)} ${check}: ${asSentence(found)}`;
  return remedy === undefined ? line : `${line}\n${' '.repeat(9)}Remedy: ${asSentence(remedy)}`;
}

const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** Does all checks, one after the other. A check that needs what is not there is skipped. */
async function examine(named: NamedCredentials): Promise<Finding[]> {
  let config: Config;
  let found: FoundCredentials;
  try {
    config = readConfig();
  } catch (error) {
    return [problemFinding('configuration', describeError(error), 'correct these variables')];
  }
  try {
    found = findCredentials(named, { optional: true, config: () => config });
  } catch (error) {
    if (!(error instanceof CommandRefusal)) throw error;
    return [problemInMessage('keys', error.message, 'name another file with --credentials')];
  }
  const keys = keysFinding(found);
  const urls = baseUrlsOf(found.credentials, () => config);
  const running = await runningHere(config);
  const store = await storeFinding(config, running?.pid);
  const malformed = malformedFinding(urls, found.from);
  if (malformed) return [keys, malformed, store];
  const { finding: service, version, aheadSeconds } = await askService(urls.auth(), found.from);
  if (!version) return [keys, service, store];
  const clock = clockFinding(aheadSeconds);
  if (keys.state !== 'ok')
    return [keys, service, clock, store, skippedFinding('signed request', 'there are no keys for it')];
  const call = await signedCall(found, urls);
  const settings = running && running.BASE_URL === version.base_url ? running : undefined;
  return [
    keys,
    service,
    clock,
    urlsFinding(urls, version, call.isAccepted, found.from),
    proxyFinding(call, settings),
    store,
    call.finding,
  ];
}

/** The configuration of a service of this user that runs here; undefined without one. */
async function runningHere(config: Config): Promise<(ProxySettings & { pid: number }) | undefined> {
  const paths = [adminPath(config.dataDir), replicaAdminPath(config)];
  for (const path of config.databaseUrl ? paths.reverse() : paths) {
    const request = { argv: ['config', 'print', '--running', '--json'] };
    const result = await runInService(path, request).catch(() => undefined);
    if (result?.exitCode === 0) return JSON.parse(result.stdout) as ProxySettings & { pid: number };
  }
  return undefined;
}
