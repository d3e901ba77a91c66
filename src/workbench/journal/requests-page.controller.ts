import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ApiError } from '../../common/errors/api-error.js';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { readParams } from '../../common/http/params/params.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { JOURNALED_METHODS, ShowRequests } from './requests.dto.js';
import { presentLine, presentRequestPage } from './requests-page.presenter.js';
import { firstDifference } from './base-strings.js';
import { Resending } from './resending.js';
import { RequestsService, type RequestsExcerpt } from './requests.service.js';

/** Number of requests on a page. */
const PAGE = 50;
/** The filters of the form. */
const FILTERS = ['path', 'method', 'status', 'account_id', 'request_id', 'unmatched'] as const;

type Texts = Record<string, string | undefined>;

/** The journal of an application in a browser. */
@SectionController('requests')
export class RequestsPageController {
  constructor(
    private readonly requests: RequestsService,
    private readonly resend: Resending,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    const query = queryParametersOf(reply.request);
    // a form sends fields that nobody filled in
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value?.trim() !== ''));
    const { params, refused } = readParams(ShowRequests, given, true);
    const excerpt = params && (await this.requests.excerpt(visit.application.id, params, PAGE));
    const isLive = params !== undefined && params.before === undefined && params.after === undefined;
    await this.pages.show(reply, visit, {
      section: 'requests',
      template: 'journal/requests',
      title: 'Requests',
      status: refused?.status,
      isLive,
      data: {
        isLive,
        problems: refused?.errors.map(({ message }) => message) ?? [],
        given,
        hasFilter: FILTERS.some((name) => given[name] !== undefined),
        methods: methodsFor(given.method),
        requests: excerpt?.items.map(presentLine) ?? [],
        links: linksOf(excerpt, given),
      },
    });
  }

  @Get(':request_id')
  async get(@Param('request_id') requestId: string, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit, requestId);
  }

  /** Sends a request again, and shows the new one. */
  @Post(':request_id/send-again')
  async sendAgain(@Param('request_id') requestId: string, @Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'requests',
      async (visit) => {
        const found = await this.requests.get(visit.application.id, requestId);
        return `/${await this.resend.send(reply.request, visit, found)}`;
      },
      (visit, error) => this.show(reply, visit, requestId, { error }),
      // the endpoint of the request decides
      null,
    );
  }

  /** Compares a base string with that of a request. */
  @Post(':request_id/compare')
  async compare(@Param('request_id') requestId: string, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    this.pages.requireOwnForm(reply.request);
    // a base string has no white space; a terminal breaks its line
    const yours = formFieldsOf(reply.request).base_string?.replace(/\s+/g, '') ?? '';
    await this.show(reply, visit, requestId, { yours });
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    requestId: string,
    { error, yours }: { error?: ApiError; yours?: string } = {},
  ): Promise<void> {
    const shown = presentRequestPage(await this.requests.get(visit.application.id, requestId));
    const { method, path, signature } = shown.request;
    const ours = signature?.base_string;
    const difference = ours && yours ? firstDifference(ours, yours) : undefined;
    await this.pages.show(reply, visit, {
      section: 'requests',
      template: 'journal/request',
      title: `${method} ${path.slice(0, 100)}`,
      status: error?.status,
      data: { ...shown, error: error?.message, yours, difference },
    });
  }
}

/** The choices of the method, with the one of a URL that names several. */
const methodsFor = (given = ''): string[] => [...new Set([...JOURNALED_METHODS, ...(given ? [given] : [])])];

/** The queries of the newer and the older page; undefined where there is none. */
function linksOf(excerpt: RequestsExcerpt | undefined, given: Texts): { newer?: string; older?: string } {
  if (!excerpt) return {};
  const { items, hasNewer, hasOlder } = excerpt;
  const queryWith = (position: Texts) => {
    const texts = Object.entries({ ...pick(given), ...position }).filter((pair): pair is [string, string] => !!pair[1]);
    return `?${new URLSearchParams(texts).toString()}`;
  };
  return {
    ...(hasNewer && { newer: queryWith({ after: items.at(0)?.id }) }),
    ...(hasOlder && { older: queryWith({ before: items.at(-1)?.id }) }),
  };
}

const pick = (given: Texts): Texts => Object.fromEntries(FILTERS.map((name) => [name, given[name]]));
