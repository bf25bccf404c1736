/** What goes over a table's socket, and what is made of it. Read by `tsc` only. */

export type Seats = Record<string, { player: string; name: string; present: boolean; ready: boolean }>;

export interface Line {
  wager: string; label: string; stake: string; outcome: string; paid: string; returned: string;
  clause: string; ruling: string | null; because: string; row: [string, number] | null;
}

export interface Box {
  player: string; hand: number | null; cards: number[]; stakes: Record<string, [string, string]>;
  chose: Record<string, string>; folded: boolean; abandoned: boolean; lines: Line[];
  lacks: { says: string; clause: string | null } | null; fee: string; net: string | null;
}

export interface Choice { option: string; label: string; key: string; says: string }

export interface Scene {
  phase: string; seats: Seats; round: string | null; commitment: string | null;
  cut: Cut; deck?: DeckPast; attended?: Attended;
  /** Which step asks which seat; and about which spot, where one of several may be taken back. */
  step: string | null; asked: number | null; asks: string | null; choices: Choice[]; boxes: Record<string, Box>;
  places: Record<string, number[]>; faces: Record<string, string>; plays: boolean | null;
  /** `running`: how many rounds in a row the banker has banked, this one included. */
  banker: { seat: number; player: string; funds: string; net: string | null; running: number | null } | null;
  bank_turn: number | null; bank_order: number[]; passes: boolean; meters: Record<string, string>; order: number[];
  void: { clause: string; says: string } | null; closed_wagers: Record<string, string>;
}

/** A table with a dealer: who deals, who is awaited, and the wins that the floor validates. */
export interface Attended {
  dealer: string | null; awaits: string[]; says: string; clause: string | null; line: string;
  awards: { seat: number; wager: string; label: string; hand: string; sum: string; answer: string | null }[];
}

/** The history of a real deck, which stands where no commitment can. */
export interface DeckPast {
  number: number; received_s: number; inspected: string[]; shuffled: string; stack: string | null;
  machine_counted: boolean; cut: string; counted: string; uncounted: number; age_s: number;
  dealer: string; provable: false;
}

/** The players' cut: hashes and revealed values by player; how many were withheld at this table. */
export interface Cut {
  hashes: Record<string, string>; values: Record<string, string>; made: boolean;
  contributed: number; withheld: number;
}

export type Patch = { [K in keyof Scene]?: any };

export interface Wager {
  wager: string; label: string; placed: string; spots: string[]; prints: string[]; sizes: string[] | null;
  limits: [string, string] | null; needs: string[]; paytable: string | null;
  tables: string[]; note: string; clause: string;
}

export interface Felt {
  table: string; title: string; rulebook: string; book: string; place: string; printed: string;
  banked_by: string; bank: string;
  banking: Banking | null; seats: number; boxes_max: number; practice: boolean;
  chips_cents: number[]; wagers: Wager[]; spots: Record<string, string>;
  /** A place with `hands` holds that many hands of the same size, to bet on. */
  places: Record<string, { label: string; cards: number; hands: number }>; shared_hands: number | null;
  meters: Record<string, string>; hand: { of: string[]; cards: number }; wheel: boolean;
  sides: Record<string, string>; options: Record<string, Record<string, [string, string]>>;
  paytables: { id: string; label: string; unit: string; rows: PayRow[] }[];
  notices: {
    about: string; title: string; says: string; clause: string | null; ruling: string | null;
  }[];
  posted: string[]; default: string;
  timing: { bets_s: number; decide_s: number; grace_s: number };
}

/** What a player who banks has to know; of the cover, whether all losses are collected first, and add. */
export interface Banking {
  charge: string; rounds_max: number | null; clause: string;
  cover: { first: boolean; adds: boolean; says: string; clause: string } | null;
}

export interface PayRow { hand: string; short: string; pays: string; print: string; stake: string | null; clause: string }
export interface Clock { for: string; left_ms: number; of_ms: number; seat: number | null }
export interface You { player: string; name: string; cents: number }

export interface Told { n: number; of?: string; event?: Record<string, any>; says?: string }

export interface State {
  felt: Felt | null; scene: Scene; own: Record<string, string>; ownV: number; you: You | null;
  v: number; clock: Clock | null; refusal: Refusal | null; told: Told[];
}

export interface Refusal { id: string | null; code: string; message: string; clause: string | null }

export type Message =
  | { type: "welcome"; you: You | null; felt?: Felt; v: number; scene: Scene | null;
      own: Record<string, string>; clock: Clock | null }
  | { type: "news"; v: number; events: Told[]; scene: Patch; clock: Clock | null }
  | { type: "own"; v: number; own: Record<string, string> }
  | { type: "purse"; cents: number }
  | { type: "done"; id: string; v: number }
  | { type: "desk"; v: number; desk: Desk }
  | { type: "previewed"; id: string; preview: Preview }
  | ({ type: "refused" } & Refusal);

/** What a command would do, and who has to approve it. */
export interface Preview {
  clause: string; says: string; ruling: string | null; returns: Record<string, number>;
  undoes?: Record<string, number>;
  deck: "stays" | "reshuffled" | "removed" | "all removed"; voids: boolean; approve: string[];
}

/** One seat's settlement, in cents; a line says what to do at its spot. */
export interface Settling {
  seat: number; says: string; fee: number; take: number; pay: number; leave: number;
  /** What its button says instead, where a win has to be checked first. */
  does: string;
  lines: { seat: number; spot: string; label: string; stake: number;
    does: "take" | "collected" | "pay" | "leave" | "wait";
    take: number; collected: number; pay: number; leave: number; wait: number;
    chips: [number, number][]; because: string; clause: string | null; ruling: string | null }[];
}

/** A win that stops its seat, and the checks before it is paid. */
export interface Award {
  seat: number; label: string; hand: string; cents: number;
  checks: { says: string; clause: string; by: string[]; done: boolean }[];
}

/** What an irregularity asks; without answers, a number. */
export interface Ask {
  fact: string; says: string; answers: { value: unknown; says: string }[] | null;
}

export interface Irregularity {
  kind: string; says: string; takes: string[]; clause: string; asks: Ask[];
  clauses: string[]; by: string[];
}

export interface Proposal {
  id: string; of: string; command: Record<string, unknown>; says: string; why: string; by: string;
  since_s: number; preview: Preview;
}

/** An act without a topic answers the next step; the others can wait. */
export interface DeskAct {
  says: string; clause: string | null; of: string; command: Record<string, unknown>;
  by?: string[]; topic?: string; posts?: string[]; fields?: Field[]; key?: string;
}

/** Several commands of the round, given with one press; what would be refused is left out. */
export interface Shortcut {
  says: string; key: string; clause: string; short: string;
  commands: Record<string, unknown>[]; without: string[];
}

/** A field of a command that has to be read, typed or chosen. */
export interface Field {
  field: string; kind: "card" | "cards" | "number" | "money" | "text" | "choice"; says: string;
  /** Of a choice: what each answer says, and the parts of the command that it gives. */
  answers?: { says: string; gives: Record<string, unknown> }[];
  value?: string; link?: string;
  /** Whether it may be left blank. */
  optional?: boolean;
}

/** Something that can be done. */
export interface DeskStep {
  says: string; by: string[]; clause: string | null; of: string;
  command: Record<string, unknown> | null; takes: Field | null;
}

/** What lies on the desk of those who work at a table. */
export interface Desk {
  next: DeskStep & { about: string; group: string | null; run: number;
    /** The posts from which it may be done. */
    posts: string[]; key: string;
    /** What its button says. */
    does: string };
  stopped: { proposal: string; says: string; awaits: string[]; clause: string | null } | null;
  acts: DeskAct[];
  /** What is done with the resting deck while the round goes on. */
  meanwhile: DeskAct[];
  shortcuts: Shortcut[];
  /** Where the chips of walk-ins go now: what lies there, and the commands for it. */
  spots: { seat: number; wager: string; label: string; cents: number;
    put: Record<string, unknown>; take: Record<string, unknown> | null }[];
  /** A card whose reading does the next step as well. */
  read: { position: number; place: string; command: Record<string, unknown>; takes: Field } | null;
  /** The card that was read last, and the command that corrects it. */
  last_read: { position: number; place: string; card: string; says: string; key: string;
    command: Record<string, unknown>; takes: Field } | null;
  /** Every key that the desk gives a meaning at some moment. */
  keys: { key: string; says: string }[];
  life: "closed" | "counted" | "open" | "closing";
  tray: { counting: string[]; differed: boolean; agreed: number | null;
    difference: number | null } | null;
  duties: { clause: string; about: string; by: string[]; says: string }[];
  manners: { clause: string; says: string; force: string }[];
  irregularities: Irregularity[];
  reads: { position: number; place: string }[];
  /** Only while the next step settles a seat. */
  settling: Settling | null;
  awards: Award[];
  /** The seats in the order in which they are settled, once that begins. */
  order: number[];
  countdowns: { says: string; clause: string; unit: string; left: number; of: number }[];
  called: string | null;
  practice?: { sees: string[]; wrong: boolean; card: string | null; says: string; round: number; of: number; deviations: number };
  tape: { n: number; time_s: number; who: string[]; says: string; clause: string | null }[];
  disputes: { id: string; round: string; seat: number; player: string; about: string }[];
  crew: Record<string, string>; names: Record<string, string>;
  proposals: Proposal[];
}

export interface Command {
  id: string; label: string; key: string; group: string;
  enabled: () => boolean; run: () => void;
  /** What it does in a few words, and for a switch whether it is on. */
  says?: string; on?: () => boolean;
}

export interface SpotView {
  spot: string; label: string; short: string; wager: string; cents: number; fate: string;
  /** What was paid beside the stake, its result, and whether the stake was taken. */
  paid: number; got: number | null; swept: boolean;
  /** Whether a chip may be put here now, and why not. */
  open: boolean; closed: string;
  /** Its sizes or limits, in words. */
  limits: string;
  /** Whether the question is about it. */
  asked: boolean;
}

/** The spots of a wager, and what is printed at them. */
export interface GroupView {
  wager: string; /** Whether it is played by a paytable beside the game. */ bonus: boolean;
  label: string; name: string; note: string; limits: string; spots: SpotView[];
  tables: { id: string; title: string; unit: string;
    rows: { hand: string; pays: string; hit: boolean }[] }[];
}

/** What the message line says, in which tone. */
export interface Said {
  text: string; more: string; tone: string; clause: string | null; href: string;
  /** The result of a round, in cents; a win counts up. */
  net?: number;
}

export interface CardView { position: number; code: string; dealt: boolean; turned: boolean }

export interface SeatView {
  seat: number; name: string; mine: boolean; empty: boolean; away: boolean; ready: boolean;
  canSit: boolean; canLeave: boolean; banks: boolean; asked: boolean; folded: boolean; hand: number | null;
  cards: CardView[]; called: string; spots: SpotView[]; staked: number; net: number | null; lines: Line[];
  fee: number; says: string;
}

/** What a player who banks put up, took and paid, in cents; null before a seat is settled. */
export interface AccountView {
  funds: number; took: number; paid: number; fee: number; now: number; done: boolean;
  /** Which round of the turn it is, and what the order of paying is. */
  turn: string; cover: Banking["cover"];
  /** `left`: what is left to pay from when this seat is settled. */
  rows: { seat: number; name: string; called: string; bets: string; took: number | null;
    paid: number | null; left: number | null }[];
}

export interface PlaceView {
  id: string; label: string; cards: CardView[]; room: number; called: string;
  plays: boolean | null; first: boolean; named: boolean;
  /** The number of a shared hand, and the seats that bet on it. */
  hand: number | null; bettors: number[];
}
