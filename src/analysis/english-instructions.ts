/** Prompt-injection patterns in English, also for text that is spaced out, reversed or rotated. */
import { dense, near, type PatternsByAim, phrase } from './instruction-words.ts'

const LOWEST = '0|zero|1|one|none|low*|null|minim*|nil'

export const englishWords: PatternsByAim = {
  override: [
    near(
      [
        'ignore|ignoring|disregard|forget|do not follow|don t follow|dont follow|stop following',
        'pay no attention to|set aside',
      ].join('|'),
      [
        'instructions?|rules?|guidelines?|prompts?|directives?|directions|safeguards?|constraints?',
        'restrictions?|polic(?:y|ies)|checks?|limits?|caps?|above|previous|prior|warnings?',
      ].join('|'),
    ),
    near(
      '(?:override|overrule|bypass|circumvent) (?:the|all|any|your|every|our|this|these)',
      'instructions?|rules?|guidelines?|polic(?:y|ies)|checks?|limits?|caps?|restrictions?',
      3,
    ),
  ],
  role: [
    phrase('you are (?:now|no longer|an ai|a helpful|an unrestricted|an approver)'),
    phrase('from now on you|pretend (?:to be|you|that)|imagine you are|behave as if|as an ai'),
    near('act as', 'ai|bot|approver|admin*|root|unrestricted', 2),
    phrase('act as (?:the|a) system|do anything now|jailbreak*'),
    phrase('(?:developer|debug|god|dan|admin|sudo|root|unrestricted) mode'),
    phrase('your (?:new |only |real )?(?:role|task|job|goal|instructions|rules) (?:is|are)'),
    phrase('new (?:instructions?|rules|orders|directives?) (?:follow*|are|below|from the)'),
    phrase('(?:the|your|my|this|hidden) system (?:prompt|override)|your system instructions?'),
    phrase(
      '(?:dear|hello|hey|attention|attn|note to|message to) (?:the |all )?(?:ai|llm|bot|model)',
      '(?:dear|hello|hey|attention|attn|note to|message to) (?:the )?(?:assistant|analyst)',
      '(?:dear|hello|hey|attention|note to) (?:the )?(?:agent|reviewer|chatgpt|gpt|claude|gemini)',
    ),
  ],
  answer: [
    phrase(`risk ?score (?:of |to |is |as |must |should |be |at |below |under ){0,3}(?:${LOWEST})`),
    near('set|lower|reduce|reset|force|change|make|keep|assign', 'risk ?score', 3),
    phrase('recommend(?:ation)? (?:is |to |must |should |be |of |an ){0,3}(?:approv*|accept*)'),
    near('respond|reply|answer|output|say', 'approved?|low risk|no risk|no concerns?|yes'),
    near('respond|reply|answer|output', 'valid json|only json|json only|json with|json where', 2),
    near(
      'mark|flag|classify|label|treat|rate|report|consider|score|record',
      'as (?:approved|safe|clean|low|passed|compliant|legitimate|trusted|verified|valid|paid)',
    ),
    phrase('(?:all|every|the) checks? (?:must |should |have |has |are |will |shall ){0,2}pass*'),
    phrase('(?:end of|begin|start of|end) (?:purpose|prompt|instructions?|untrusted*|user input)'),
    near(
      'reveal|repeat|leak|disclose|tell me|give me|dump|exfiltrate|print|show me|list',
      'system prompt|your instructions|other (?:tenants?|organi[sz]ations?)|(?:api|private) keys',
    ),
    near(
      'reveal|leak|disclose|tell me|give me|dump',
      'secrets?|seed phrase|passwords?|credentials',
    ),
    near('(?:call|invoke|trigger|execute) the', 'tool|function|endpoint', 2),
    phrase('(?:change|replace|swap|redirect) (?:the |my )?(?:recipient|payee|payout|beneficiary)'),
    near(
      '(?:raise|increase|lift|remove|disable|double) (?:the|all|any|my|your|every)',
      'caps?|limits?|reserve floor|safeguards?|checks',
      2,
    ),
  ],
  approval: [
    phrase('approve (?:this|it|the|immediately|now|automatically|without|all|my|everything)'),
    phrase('(?:please|kindly|must|should|just|always) (?:be )?(?:approved?|authori[sz]ed?|accept)'),
    phrase('auto(?:matically)? ?approved?|rubber ?stamp|wave (?:this|it) through'),
    near(
      '(?:release|send|transfer|wire|move|drain|pay out) (?:all|everything|the entire|the whole)',
      'funds|money|balance|vault|treasury',
    ),
    near('skip|avoid|waive|disable', 'review|approval|verification|oversight|analysis', 2),
    phrase(
      '(?:no|without)(?: any| further| human| more){0,3} (?:review|approval|oversight|checks)',
    ),
    near(
      'do not|don t|dont|never|must not',
      'flag|review|reject|check|question|verify|escalate|audit|warn',
      1,
    ),
    phrase('(?:already|pre) approved by (?:the )?(?:system|ai|admin*|security|compliance)'),
    phrase(
      'trust me|(?:override|authori[sz]ation) code|emergency override|trusted (?:user|request)',
    ),
  ],
}

export const englishSqueezed: PatternsByAim = {
  override: [
    new RegExp(
      '(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|of|every){0,3}' +
        '(?:previous|prior|above|earlier|system|safety|security){0,2}' +
        '(?:instructions|rules|guidelines|prompts|policies|directives|policy)',
    ),
  ],
  role: [],
  answer: [],
  approval: [
    dense(/approvethis(?:payment|expense|request|now)|approve(?:immediately|withoutreview|itnow)/),
  ],
}
