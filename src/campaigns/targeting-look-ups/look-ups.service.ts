import { Injectable } from '@nestjs/common';
import { LocationIds } from '../../audiences/locations/location-ids.service.js';
import { LOCATIONS } from '../../audiences/locations/locations.js';
import { Clock } from '../../common/time/clock.js';
import type { PageQuery } from '../../common/list/list-query.js';
import { pageOf, countLeading } from '../../common/list/page-of.js';
import { Page } from '../../common/http/answers/page.js';
import type { ShippedItem } from '../../common/list/shipped-list.js';
import { eventAt, eventsBetween } from '../targeting-values/events.rules.js';
import {
  APP_STORE_CATEGORIES,
  CONVERSATIONS,
  DEVICES,
  INTERESTS,
  LANGUAGES,
  NETWORK_OPERATORS,
  PLATFORM_VERSIONS,
  PLATFORMS,
  TV_MARKETS,
  TV_SHOWS,
} from '../targeting-values/targeting-lists.js';
import type {
  ListAppStoreCategories,
  ListConversations,
  ListDevices,
  ListEvents,
  ListInterests,
  ListLanguages,
  ListLocations,
  ListNetworkOperators,
  ListPlatforms,
  ListPlatformVersions,
  ListTvShows,
} from './look-ups.dto.js';

const valueOf = ({ value }: ShippedItem): string => value;

/** A page of the matches in a shipped list, in match order. */
const pageOfFound = <T extends ShippedItem>(found: readonly T[], query: PageQuery, listing: readonly unknown[]) =>
  pageOf(found, query, { listing, key: valueOf });

/** Finds the values that line items can target in the lists that ship with the service. */
@Injectable()
export class LookUps {
  constructor(
    private readonly clock: Clock,
    private readonly locationIds: LocationIds,
  ) {}

  appStoreCategories({ q, os_type }: ListAppStoreCategories) {
    return APP_STORE_CATEGORIES.matching(q, (category) => os_type === undefined || category.osType === os_type);
  }

  conversations(query: ListConversations) {
    const type = query.conversation_type;
    const found = CONVERSATIONS.matching(undefined, (each) => type === undefined || each.type === type);
    return pageOfFound(found, query, ['conversations', type]);
  }

  devices({ q, count }: ListDevices) {
    return DEVICES.matching(q).slice(0, count);
  }

  /** Events that have not ended at `start_time`, which defaults to now, earliest first. */
  events(query: ListEvents) {
    const { event_types: types, country_codes: countries, start_time: from, end_time: to } = query;
    const start = from === undefined ? this.clock.now() : new Date(from);
    const found = eventsBetween(start, to === undefined ? undefined : new Date(to)).filter(
      ({ type, country }) => types.includes(type) && (!countries || country === '' || countries.includes(country)),
    );
    const listing = ['events', [...types].sort(), countries && [...countries].sort(), from, to];
    // The last event of the previous page may have ended since.
    const after = (value: string) => {
      const last = eventAt(value)?.start ?? new Date(0);
      return countLeading(found, (each) => each.start > last || (each.start >= last && each.value > value));
    };
    const { items, nextCursor } = pageOf(found, query, { listing, key: valueOf, after });
    return new Page(items, nextCursor, undefined, { data_type: 'events' });
  }

  interests(query: ListInterests) {
    return pageOfFound(INTERESTS.matching(query.q), query, ['interests', query.q]);
  }

  languages(query: ListLanguages) {
    return pageOfFound(LANGUAGES.matching(query.q), query, ['languages', query.q]);
  }

  locations(query: ListLocations) {
    const { location_type: type, country_code: country, q } = query;
    const found = LOCATIONS.matching(
      q,
      (each) => (type === undefined || each.type === type) && (country === undefined || each.countryCode === country),
    );
    const listing = ['locations', type, country, q];
    const page = pageOf(found, query, { listing, key: (place) => this.locationIds.of(place) });
    return page.map((place) => this.locationIds.withId(place));
  }

  networkOperators(query: ListNetworkOperators) {
    const { country_code: country, q } = query;
    const found = NETWORK_OPERATORS.matching(q, ({ countryCode }) => countryCode === country);
    return pageOfFound(found, query, ['network_operators', country, q]);
  }

  /** A number such as 4.4 finds a version, as its name does. */
  platformVersions({ q }: ListPlatformVersions) {
    const named = new Set(PLATFORM_VERSIONS.matching(q));
    const found = PLATFORM_VERSIONS.matching(
      undefined,
      (version) => named.has(version) || (!!q?.trim() && version.number.startsWith(q.trim())),
    );
    return new Page(found, null, undefined, { data_type: 'targeting_criterion' });
  }

  platforms({ q, count }: ListPlatforms) {
    return PLATFORMS.matching(q).slice(0, count);
  }

  tvMarkets() {
    return TV_MARKETS.all();
  }

  tvShows(query: ListTvShows) {
    const found = TV_SHOWS.matching(query.q, ({ locales }) => locales.includes(query.locale));
    return pageOfFound(found, query, ['tv_shows', query.locale, query.q]);
  }
}
