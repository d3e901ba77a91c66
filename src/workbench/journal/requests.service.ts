import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { firstIdOf, timeOfId } from '../../common/entity/ids.js';
import { MINUTE_MS } from '../../common/time/days.js';
import { groupedBy } from '../../common/values/grouped.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import { PublicUrls } from '../../common/http/urls/public-urls.js';
import { tokenPage } from '../../common/list/token-page.js';
import { Config } from '../../config/config.js';
import { DeliveriesService } from '../../webhooks/deliveries/deliveries.service.js';
import { requestNotFound } from '../workbench.errors.js';
import { frequentErrors } from './request-minutes.statements.js';
import { Journal } from './journal.js';
import type { RequestEvent, RequestWithEvents } from './journaled-request.presenter.js';
import { JournaledRequest } from './journaled-request.entity.js';
import { detailOf } from './recorded-request.js';
import type { CountRequests, ListRequests, ShowRequests } from './requests.dto.js';

/** The time in which a request that creates something is answered, at most. */
const MAX_CREATING_MS = MINUTE_MS;

/** Some requests of a journal, newest first. */
export interface RequestsExcerpt {
  items: Row<JournaledRequest>[];
  hasNewer: boolean;
  hasOlder: boolean;
}

/** Reads the journal. Every request that was answered before a read is in it. */
@Injectable()
export class RequestsService {
  private readonly publicUrls: PublicUrls;

  constructor(
    private readonly db: DataSource,
    private readonly journal: Journal,
    private readonly deliveries: DeliveriesService,
    config: Config,
  ) {
    this.publicUrls = new PublicUrls(config);
  }

  async list(applicationId: string, query: ListRequests): Promise<Page<Row<JournaledRequest>>> {
    await this.journal.settle(applicationId);
    return tokenPage(this.matching(applicationId, query), query);
  }

  /** The newest `count` requests, or those before or after another one. */
  async excerpt(applicationId: string, query: ShowRequests, count: number): Promise<RequestsExcerpt> {
    await this.journal.settle(applicationId);
    const { before, after } = query;
    if (after !== undefined) {
      const newer = this.matching(applicationId, query).whereMoreThan('id', after).orderBy('id');
      const items = await newer.limit(count + 1).getMany();
      // fewer are a part of the newest page
      if (items.length > count) return { items: items.slice(0, count).toReversed(), hasNewer: true, hasOlder: true };
    }
    const older = this.matching(applicationId, query)
      .orderBy('id', 'DESC')
      .limit(count + 1);
    if (before !== undefined && after === undefined) older.whereLessThan('id', before);
    const items = await older.getMany();
    const hasNewer = before !== undefined && after === undefined;
    return { items: items.slice(0, count), hasNewer, hasOlder: items.length > count };
  }

  async count(applicationId: string, query: CountRequests): Promise<number> {
    await this.journal.settle(applicationId);
    return this.matching(applicationId, query).getCount();
  }

  /** A request by its id or, the newest, by its `x-request-id`; 404 for those of other applications. */
  async get(applicationId: string, id: string): Promise<RequestWithEvents> {
    await this.journal.settle(applicationId);
    const request = await rows(this.db.manager, JournaledRequest)
      .where('applicationId', applicationId)
      .whereAny(
        (own) => own.where('id', id),
        (own) => own.where('requestId', id),
      )
      .orderBy('id', 'DESC')
      .getOne();
    if (!request) throw requestNotFound(id);
    const detail = detailOf(request);
    const urlHere = this.publicUrls.leadingHere(detail.url);
    return { request, detail, urlHere, events: await this.eventsOf(applicationId, detail.changeIds) };
  }

  /** The stored request that created something of an account: the first write whose response has this id in a field. */
  creating(applicationId: string, { id: accountId }: { id: string }, name: 'id' | 'id_str', id: string) {
    // the text of a response in a JSON text
    const field = JSON.stringify(JSON.stringify({ [name]: id }).slice(1, -1)).slice(1, -1);
    // both ids begin with the time of the service
    const created = timeOfId(id);
    const answered = new Date(created.getTime() + MAX_CREATING_MS);
    return rows(this.db.manager, JournaledRequest)
      .where('applicationId', applicationId)
      .whereInRange('id', firstIdOf(created), firstIdOf(answered))
      .where('accountId', accountId)
      .where('method', 'POST')
      .whereInRange('status', 200, 300)
      .whereLike('detail', likePattern(`*${field}*`))
      .orderBy('id')
      .getOne();
  }

  /** The most frequent errors, each with its last request: those of unmatched requests first. */
  async frequentErrors(
    applicationId: string,
    limit: number,
  ): Promise<{ request: Row<JournaledRequest>; times: number }[]> {
    await this.journal.settle(applicationId);
    const errors = await frequentErrors(this.db.manager, applicationId, limit);
    const ids = errors.map(({ id }) => id);
    const found = await rows(this.db.manager, JournaledRequest)
      .where('applicationId', applicationId)
      .whereIn('id', ids)
      .getMany();
    const byId = new Map(found.map((each) => [each.id, each]));
    return errors.flatMap(({ id, times }) => {
      const request = byId.get(id);
      return request ? [{ request, times }] : [];
    });
  }

  private async eventsOf(applicationId: string, changeIds: readonly string[]): Promise<RequestEvent[]> {
    const { kinds, deliveries } = await this.deliveries.ofEvents(applicationId, changeIds);
    const byEvent = groupedBy(deliveries, ({ eventId }) => eventId);
    return [...kinds].map(([id, kind]) => ({ id, kind, deliveries: byEvent.get(id) ?? [] }));
  }

  private matching(applicationId: string, query: CountRequests): Rows<JournaledRequest> {
    const found = rows(this.db.manager, JournaledRequest)
      .where('applicationId', applicationId)
      .whereLike('path', query.path && likePattern(query.path))
      .whereIn('method', query.method);
    if (query.status) found.whereAny(...query.status.map(ofStatus));
    if (query.account_id !== undefined) found.where('accountId', query.account_id);
    if (query.unmatched) found.where('unmatched', true);
    if (query.request_id !== undefined) found.where('requestId', query.request_id);
    if (query.start_time !== undefined) found.whereAtLeast('createdAt', query.start_time);
    if (query.end_time !== undefined) found.whereLessThan('createdAt', query.end_time);
    return found;
  }
}

/** A path in which `*` stands for any characters, as a pattern of LIKE. */
const likePattern = (path: string): string => path.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');

const ofStatus = (status: string) => (requests: Rows<JournaledRequest>) =>
  status.endsWith('xx')
    ? requests.whereInRange('status', Number(status[0]) * 100, Number(status[0]) * 100 + 100)
    : requests.where('status', Number(status));
