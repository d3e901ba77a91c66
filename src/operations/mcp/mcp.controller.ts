import { Readable } from 'node:stream';
import {
  Controller,
  Delete,
  Get,
  Logger,
  Post,
  Req,
  Res,
  UseGuards,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessTokenGuard } from '../../auth/guards/access-token.guard.js';
import { EndpointPolicyGuard } from '../../auth/guards/endpoint-policy.guard.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { rateLimited } from '../../auth/oauth-errors.js';
import { Clock } from '../../common/time/clock.js';
import { badRequestData, invalid } from '../../common/errors/catalogue.js';
import { onceClosed } from '../../common/http/answers/once-closed.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { toText } from '../../common/http/params/conversions.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { Config, isLoopbackHost } from '../../config/config.js';
import type { ToolAnswer } from '../../workbench/mcp/mcp-server.js';
import { inject, injectionOf, prepared, signedBy } from '../../workbench/inside/injection.js';
import type { ToolRequest } from '../../workbench/mcp/operation-tools.js';
import { VERSION } from '../version.js';
import { readSets, TOOL_SETS, type ToolSet } from '../../workbench/mcp/tool-sets.js';
import { AS_OF_HEADER } from '../../common/as-of/as-of-hooks.js';
import { HINT_HEADER } from '../../common/http/hints/hints.js';
import { chosenVocabulary, NAMES_HEADER, type Vocabulary } from '../../names/vocabulary.js';
import { AnswerTexts, UnreadBytes } from './answer-texts.js';
import { McpHandlers } from './mcp-handlers.js';
import { ApiError } from '../../common/errors/api-error.js';

/**
 * Rejects requests that web pages of others send, also under a name that leads to this service (DNS rebinding). Browsers
 * send `Origin`, other clients do not.
 */
@Injectable()
class OwnOriginGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const { origin } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (origin === undefined || this.isOwn(origin)) return true;
    throw new ApiError(
      403,
      220,
      `Expected ${this.config.baseUrl.origin} or no value for Origin, got ${quotedValue(origin)}`,
      { parameter: 'Origin' },
    ).because('foreign-origin');
  }

  /** The origin of a public URL. On this machine any local page may use the service, as its user may. */
  private isOwn(origin: string): boolean {
    const { baseUrl, adsBaseUrl, adsSandboxBaseUrl } = this.config;
    if (!URL.canParse(origin)) return false;
    const { hostname } = new URL(origin);
    const isOwn = [baseUrl, adsBaseUrl, adsSandboxBaseUrl].some((url) => url.origin === origin);
    return isOwn || (isLoopbackHost(baseUrl.hostname) && isLoopbackHost(hostname));
  }
}

/** Time for the request of a tool, which a fault may delay by a minute. */
const DEADLINE_MS = 90_000;
/** Maximum number of messages in one request: earlier revisions of the protocol had batches. */
const MAX_MESSAGES = 20;
/** When a client that has answers to read asks again. */
const RETRY_SECONDS = 5;

/**
 * The Model Context Protocol over Streamable HTTP, without sessions: any replica answers any request. Clients cannot
 * sign, so they send an access token of OAuth 2.0, or another with its secret. Not part of the specification: docs/workbench.md.
 */
@ApiExcludeController()
@Controller('mcp')
@Policy({ body: 'json', quota: 'WORKBENCH', writeQuota: 'WORKBENCH' })
@UseGuards(OwnOriginGuard, EndpointPolicyGuard, AccessTokenGuard)
export class McpController {
  private readonly logger = new Logger('MCP');
  private readonly unreadBytes = new UnreadBytes();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly handlers: McpHandlers,
  ) {}

  /** Answers messages of a client. */
  @Post()
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.answer(request, reply);
  }

  /** 405: there are no sessions whose messages a client could listen to. */
  @Get()
  async listen(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.answer(request, reply);
  }

  /** 405: there are no sessions that could end. */
  @Delete()
  async end(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.answer(request, reply);
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { body, user } = request;
    if (Array.isArray(body) && body.length > MAX_MESSAGES)
      throw badRequestData(`Expected at most ${MAX_MESSAGES} messages in a request, got ${body.length}`);
    const { userId, accessLevel, scopes } = user!;
    if (!this.unreadBytes.hasRoom(userId)) throw rateLimited(RETRY_SECONDS).because('unread-answers');
    const closed = new AbortController();
    const texts = new AnswerTexts(this.unreadBytes, userId);
    onceClosed(request, reply, () => {
      closed.abort();
      texts.end();
    });
    const names = chosenVocabulary(request.headers[NAMES_HEADER], this.config.names)!;
    const sets = names === 'x' ? [] : setsOf(request);
    // one after the other, so that a batch holds one response at a time that may be too large
    const turns = new Semaphore(1);
    const fetch = await this.handlers.handler({
      // what the scopes do not allow, the endpoints say
      wanted: { names, readOnly: isReadOnly(request) || (!scopes && accessLevel !== 'write'), sets },
      call: (wanted) => turns.run(() => this.call(wanted, { request, texts, names, closed: closed.signal })),
      texts,
      failed: (error) => this.logger.debug(error.message),
    });
    const response = await fetch(webRequest(request, closed.signal), { parsedBody: body });
    void reply.status(response.status);
    for (const [name, value] of response.headers) void reply.header(name, value);
    await reply.send(response.body ? Readable.from(texts.filled(response.body), { objectMode: false }) : undefined);
  }

  /**
   * Sends the request of a tool to this process, signed for the caller or with their access token of OAuth 2.0. Its guards,
   * limits and journal see it.
   */
  private async call(
    wanted: ToolRequest,
    {
      request,
      texts,
      names,
      closed,
    }: { request: FastifyRequest; texts: AnswerTexts; names: Vocabulary; closed: AbortSignal },
  ): Promise<ToolAnswer> {
    texts.requireRoom(1);
    const signal = AbortSignal.any([closed, AbortSignal.timeout(DEADLINE_MS)]);
    const { user, headers: sent } = request;
    const authorize = user!.scopes ? () => sent.authorization! : signedBy(user!, this.clock.seconds());
    const sender = { address: request.ip, agent: `marquee-mcp/${VERSION}`, authorize };
    const sandbox = wanted.sandbox || originOf(request.raw).environment === 'sandbox';
    const asOf = sent[AS_OF_HEADER] as string | undefined;
    const injection = injectionOf({ ...prepared({ ...wanted, sandbox }, this.config), names, asOf }, sender);
    const response = await Promise.race([inject(request.server, injection), aborted(signal)]);
    if (!response) return { status: 503, body: 'There was no response.', requestId: null, hint: null };
    const { statusCode: status, body, headers } = response;
    const hint = (headers[HINT_HEADER] as string | undefined) ?? null;
    return { status, body, requestId: headers['x-request-id'] as string, hint };
  }
}

/** Whether the client wants only tools that change nothing. */
function isReadOnly({ query }: FastifyRequest): boolean {
  const { read_only: given = 'false' } = query as { read_only?: unknown };
  if (given === 'true' || given === 'false') return given === 'true';
  throw invalid('read_only', `Expected true or false for read_only, got ${quotedValue(given)}`, { value: given });
}

/** The sets of tools that the client wants; none for those by default. */
function setsOf({ query }: FastifyRequest): ToolSet[] {
  const { tools } = query as { tools?: unknown };
  if (tools === undefined) return [];
  const sets = readSets(toText(tools) ?? '');
  if (sets) return sets;
  const expected = `Expected a list of ${TOOL_SETS.join(', ')}, got ${quotedValue(tools)} for tools`;
  throw invalid('tools', expected, { value: tools });
}

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

/** The request as the handler of the official package takes it. Its body is parsed already. */
function webRequest({ method, headers, url }: FastifyRequest, signal: AbortSignal): Request {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'authorization' || name === 'content-length'
      ? []
      : [[name, [value].flat().join(', ')]],
  );
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: sent,
    signal,
    ...(method === 'POST' && { body: '{}' }),
  });
}
