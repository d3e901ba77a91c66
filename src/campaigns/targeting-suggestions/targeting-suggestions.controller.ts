import { Get } from '@nestjs/common';
import { AccountController } from '../../accounts/access/account-controller.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { CAMPAIGNS_READ } from '../campaigns.permissions.js';
import { presentSuggestions, TargetingSuggestionView } from './targeting-suggestion.presenter.js';
import { ListSuggestions } from './targeting-suggestions.dto.js';
import { TargetingSuggestions } from './targeting-suggestions.service.js';

@AccountController('targeting_suggestions', { tag: 'Targeting options', reads: CAMPAIGNS_READ })
export class TargetingSuggestionsController {
  constructor(private readonly suggestions: TargetingSuggestions) {}

  /**
   * Suggests keywords that occur together with the given keywords, or users that followers of the given users also
   * follow, most typical first.
   */
  @Get()
  @ReturnsList(TargetingSuggestionView)
  async list(@Params() query: ListSuggestions) {
    return presentSuggestions(query.suggestion_type, await this.suggestions.list(query));
  }
}
