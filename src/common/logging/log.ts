import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { Config } from '../../config/config.js';
import { RepeatedLines } from './repeated-lines.js';

const require = createRequire(import.meta.url);

/** Names of secret fields, whose values never reach a log. */
const SECRET = [
  'authorization',
  'cookie',
  'password',
  'oauth_token',
  'oauth_signature',
  'oauth_verifier',
  'access_token',
  'token',
  'secret',
  'consumerSecret',
  'tokenSecret',
  'masterKey',
];

/** Writes lines to standard output: JSON, or readable ones on a terminal. */
export function loggerFor({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const options: LoggerOptions = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    redact: {
      paths: SECRET.flatMap((name) => [
        name,
        `*.${name}`,
        `*.*.${name}`,
        `err.${name}`,
        'err.parameters',
        'err.query',
        'err.driverError',
        // PostgreSQL quotes the rows there
        'err.detail',
        'err.where',
        'err.internalQuery',
      ]),
      censor: '***',
    },
  };
  const readable = logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY);
  return pino(options, readable ? readableOutput() : standardOutput);
}

/** Loaded only on a terminal. */
function readableOutput(): DestinationStream {
  const { prettyFactory } = require('pino-pretty') as typeof PinoPretty;
  const readable = prettyFactory({
    colorize: process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: 'context',
    messageFormat: (line, key) => [line.context, line[key]].filter(Boolean).join(': '),
  });
  return { write: (line) => standardOutput.write(readable(line)) };
}

const out = pino.destination({ fd: 1, sync: true });
let lines = '';

function flush(): void {
  if (lines !== '') out.write(lines);
  lines = '';
}

/** Written once per turn of the event loop: a system call per line costs more than the line. */
const standardOutput: DestinationStream = {
  write(line) {
    if (lines === '') setImmediate(flush);
    lines += line;
  },
};
process.on('exit', flush);

/**
 * The same logger without redaction, for the line of each request, whose fields are fixed and contain no secret:
 * searching each for secrets would cost more than all else about it.
 */
export const unredacted = (logger: Logger): Logger => logger.child({}, { redact: [] });

type Level = 'info' | 'warn' | 'error' | 'debug' | 'trace';

/** The messages of Nest and of the service's classes in the same log. Equal warnings are one line and their number. */
export function nestLogger(logger: Logger): LoggerService {
  const repeated = new RepeatedLines();
  process.once('exit', () => repeated.flush());
  const write =
    (level: Level) =>
    (message: unknown, ...rest: unknown[]) => {
      const [fields, text] = lineOf(level, message, rest);
      if (level !== 'warn') return logger[level](fields, text);
      repeated.write(keyOf(fields, text), (repetitions) =>
        logger.warn({ ...fields, ...(repetitions !== undefined && { repetitions }) }, text),
      );
    };
  // Nest's startup messages (routes, modules) are for debugging only.
  return {
    log: write('debug'),
    warn: write('warn'),
    error: write('error'),
    debug: write('debug'),
    verbose: write('trace'),
    fatal: write('error'),
  };
}

function lineOf(level: Level, message: unknown, rest: unknown[]): [fields: Record<string, unknown>, text?: string] {
  const context = rest.findLast((each) => typeof each === 'string');
  if (message instanceof Error) return [{ err: message, context }];
  if (typeof message === 'object' && message !== null)
    return [{ ...message, context }, typeof rest[0] === 'string' && rest.length > 1 ? rest[0] : undefined];
  return [{ context, ...(level === 'error' && rest.length > 1 && { stack: rest[0] }) }, String(message)];
}

/** What equal lines have in common, whichever request they are about. */
const keyOf = ({ context, err }: Record<string, unknown>, text?: string): string =>
  JSON.stringify([context, text, err instanceof Error ? [err.name, err.message] : String(err)]);
