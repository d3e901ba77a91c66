import { Get } from '@nestjs/common';
import { CallerController } from '../../auth/guards/ads-controller.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import {
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
import {
  AppStoreCategoryView,
  ConversationView,
  DeviceView,
  InterestView,
  NetworkOperatorView,
  PlatformVersionView,
  PlatformView,
  presentAppStoreCategory,
  presentConversation,
  presentDevice,
  presentEvent,
  presentInterest,
  presentLanguage,
  presentLocation,
  presentNetworkOperator,
  presentPlatform,
  presentPlatformVersion,
  presentTvMarket,
  presentTvShow,
  TargetingEventView,
  TargetingLanguageView,
  TargetingLocationView,
  TvMarketView,
  TvShowView,
} from './look-ups.presenter.js';
import { LookUps } from './look-ups.service.js';

@CallerController('targeting_criteria', { tag: 'Targeting options', quota: 'TARGETING_LOOKUPS' })
export class TargetingOptionsController {
  constructor(private readonly lookUps: LookUps) {}

  /** Lists the categories of the app stores. */
  @Get('app_store_categories')
  @ReturnsList(AppStoreCategoryView)
  listAppStoreCategories(@Params() query: ListAppStoreCategories) {
    return this.lookUps.appStoreCategories(query).map(presentAppStoreCategory);
  }

  /** Lists conversation topics. */
  @Get('conversations')
  @ReturnsPage(ConversationView)
  listConversations(@Params() query: ListConversations) {
    return this.lookUps.conversations(query).map(presentConversation);
  }

  /** Lists phones and tablets. */
  @Get('devices')
  @ReturnsList(DeviceView)
  listDevices(@Params() query: ListDevices) {
    return this.lookUps.devices(query).map(presentDevice);
  }

  /** Lists events, earliest first. */
  @Get('events')
  @ReturnsPage(TargetingEventView, { data_type: 'events' })
  listEvents(@Params() query: ListEvents) {
    return this.lookUps.events(query).map(presentEvent);
  }

  /** Lists interests, named "Parent/Child". */
  @Get('interests')
  @ReturnsPage(InterestView)
  listInterests(@Params() query: ListInterests) {
    return this.lookUps.interests(query).map(presentInterest);
  }

  /** Lists the languages that can be targeted. */
  @Get('languages')
  @ReturnsPage(TargetingLanguageView)
  listLanguages(@Params() query: ListLanguages) {
    return this.lookUps.languages(query).map(presentLanguage);
  }

  /**
   * Lists the locations that can be targeted. Names that begin with `q` come first, then countries, regions, metros,
   * cities and postal codes.
   */
  @Get('locations')
  @ReturnsPage(TargetingLocationView)
  listLocations(@Params() query: ListLocations) {
    return this.lookUps.locations(query).map(presentLocation);
  }

  /** Lists the network operators of a country. */
  @Get('network_operators')
  @ReturnsPage(NetworkOperatorView)
  listNetworkOperators(@Params() query: ListNetworkOperators) {
    return this.lookUps.networkOperators(query).map(presentNetworkOperator);
  }

  /** Lists operating system versions. */
  @Get('platform_versions')
  @ReturnsList(PlatformVersionView, { data_type: 'targeting_criterion' })
  listPlatformVersions(@Params() query: ListPlatformVersions) {
    return this.lookUps.platformVersions(query).map(presentPlatformVersion);
  }

  /** Lists the platforms that people use. */
  @Get('platforms')
  @ReturnsList(PlatformView)
  listPlatforms(@Params() query: ListPlatforms) {
    return this.lookUps.platforms(query).map((platform) => presentPlatform(platform, query.lang));
  }
}

@CallerController('targeting_criteria', { tag: 'Targeting options', quota: 'TV_LOOKUPS' })
export class TvOptionsController {
  constructor(private readonly lookUps: LookUps) {}

  /** Lists the TV markets, where TV shows can be targeted. */
  @Get('tv_markets')
  @ReturnsList(TvMarketView)
  listTvMarkets() {
    return this.lookUps.tvMarkets().map(presentTvMarket);
  }

  /** Lists the TV shows of a market. */
  @Get('tv_shows')
  @ReturnsPage(TvShowView)
  listTvShows(@Params() query: ListTvShows) {
    return this.lookUps.tvShows(query).map(presentTvShow);
  }
}
