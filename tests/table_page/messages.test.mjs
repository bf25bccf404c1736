/** What the line says, and what the page shows when: `node --test tests/table_page`. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import {
  bankOffer,
  bankWords,
  clockChose,
  ordinary,
  outcome,
} from "../../src/croupier/web/static/js/messages.js";
import { brief, signed } from "../../src/croupier/web/static/js/money.js";
import { OPEN, placesOf } from "../../src/croupier/web/static/js/places.js";
import { handWords } from "../../src/croupier/web/static/js/speech.js";
import { Shown } from "../../src/croupier/web/static/js/shown.js";
import { START, reduce } from "../../src/croupier/web/static/js/state.js";
import { accountOf, netOf, seatOf } from "../../src/croupier/web/static/js/view.js";

const HERE = new URL("recordings/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, HERE), "utf8"));
const states = (name) =>
  read(name).frames.reduce((all, frame) => [...all, reduce(all.at(-1), frame)], [START]);
const last = (name) => states(name).at(-1);
const changed = (state, change) => ({
  ...state,
  scene: { ...state.scene, ...change(state.scene) },
});

/** The state with the net, and the paid sum of its first line, changed. */
const withNet = (state, net, line = {}) =>
  changed(state, ({ boxes }) => ({
    boxes: { ...boxes, 2: { ...boxes[2], net, lines: [{ ...boxes[2].lines[0], ...line }] } },
  }));

for (const name of readdirSync(HERE)) {
  test(`${name}: the bank's hand is named when its last card has turned over`, () => {
    const over = last(name);
    const [place] = placesOf(over).filter((one) => one.label === over.felt.bank);
    if (!place) return; // Nobody plays against a hand here.
    assert.ok(place.called);
    const turning = { ...OPEN, turned: (at) => at !== place.cards.at(-1).position };
    const [early] = placesOf(over, turning);
    assert.ok(early.cards.every((card) => card.code), "all of its cards can be seen");
    assert.equal(early.called, "");
    assert.equal(early.plays, null);
  });

  test(`${name}: at every decision all cards of the hand are said that can be seen`, () => {
    for (const state of states(name).filter(({ scene }) => scene.asked === 2)) {
      const { scene, felt } = state;
      const shared = felt.hand.of.flatMap((id) => scene.places[id] ?? []);
      const up = shared.filter((at) => scene.faces[at]);
      const cards = handWords(state).split(/\. |: /)[0].split(", ");
      assert.equal(cards.length, scene.boxes[2].cards.length + up.length);
    }
  });

  test(`${name}: a result is explained by the line that made most of it`, () => {
    const over = last(name);
    const line = (paid, returned, because) => ({
      ...over.scene.boxes[2].lines[0],
      ...{ wager: because, stake: "5.00", paid, returned, because },
    });
    const won = [line("5.00", "5.00", "won: so"), line("1.00", "5.00", "also: so")];
    const lost = [line("0.00", "1.00", "less: so"), line("0.00", "0.00", "lost: so")];
    const box = over.scene.boxes[2];
    const after = (net, lines) => changed(over, () => ({ boxes: { 2: { ...box, net, lines } } }));
    const told = (net, lines) => outcome(after(net, lines)).more;
    assert.equal(told("6.00", won), "won");
    assert.equal(told("-9.00", lost), "lost");
    // A reason of one line would be no reason for what others undo.
    const named = (sums) => new RegExp(`^${sums.map((sum) => `.+ ${sum}`).join(", ")}$`);
    assert.match(told("1.00", [...won, lost[1]]), named(["\\+\\$5", "\\+\\$1", "\u2212\\$5"]));
    assert.match(told("-4.00", [won[1], lost[1]]), named(["\u2212\\$5", "\\+\\$1"]));
    // Of many, what made it a win is named, and never a small loss.
    const one = line("50.00", "5.00", "made: so");
    const mixed = [lost[0], one, lost[1], { ...lost[1] }];
    assert.match(told("36.00", mixed), new RegExp("^[^,]+ \\+\\$50, the rest \u2212\\$14$"));
    // What is paid on a spot is told as the spot shows it.
    for (const [side, spot] of Object.entries(over.felt.sides).slice(0, 1)) {
      const paid = [{ ...won[0], wager: spot }, { ...won[1], wager: side }, lost[1]];
      assert.match(told("1.00", paid), named(["\\+\\$6", "\u2212\\$5"]));
    }
    // What cancels out is not mentioned.
    const rest = [won[0], lost[1], { ...lost[1] }, { ...lost[1] }];
    assert.match(told("-10.00", rest), named(["\u2212\\$5", "\u2212\\$5"]));
    // Equal bets are told as the one wager that they are.
    for (const { label, spots } of over.felt.wagers.filter((one) => one.spots.length > 1)) {
      const bets = spots.map((wager) => ({ ...lost[1], wager }));
      const sum = `\u2212$${5 * bets.length}`;
      const [one, other] = told("-10.00", [...bets, won[0]]).split(", ");
      assert.equal(one, `${label} ${sum}`);
      assert.match(other, / \+\$5$/);
    }
  });

  test(`${name}: of two boxes the one that made most of a result explains it`, () => {
    const over = last(name);
    const lost = (stake, because) => ({ stake, paid: "0.00", returned: "0.00", because });
    const won = (stake, because) => ({ stake, paid: stake, returned: stake, because });
    const box = (net, ...lines) => ({ ...over.scene.boxes[2], net, lines });
    const boxes = {
      2: box("9.00", won("14.00", "the first won"), lost("5.00", "the first lost")),
      3: box("-10.00", lost("5.00", "the second lost"), lost("5.00", "and its side bet")),
    };
    const seats = { ...over.scene.seats, 3: over.scene.seats[2] };
    assert.equal(outcome(changed(over, () => ({ boxes, seats }))).more, "the second lost");
  });

  test(`${name}: the own hand is named with those cards that have turned over`, () => {
    const over = last(name);
    const shared = over.felt.hand.of.flatMap((id) => over.scene.places[id] ?? []);
    const whole = seatOf(over, 2).called;
    assert.ok(whole);
    const turning = { ...OPEN, turned: (at) => !shared.includes(at) };
    if (shared.length) assert.ok(seatOf(over, 2, turning).called, "it keeps the name it had");
    const none = { ...OPEN, turned: () => false };
    assert.equal(seatOf(over, 2, none).called, "");
  });

  test(`${name}: a newcomer is not counted what the last player of the seat won`, () => {
    const over = last(name);
    assert.notEqual(netOf(over, 2), null);
    const seats = { ...over.scene.seats, 2: { ...over.scene.seats[2], player: "p-new" } };
    const new_ = { ...changed(over, () => ({ seats })), you: { ...over.you, player: "p-new" } };
    assert.equal(netOf(new_, 2), null);
    assert.equal(outcome(new_), null);
    assert.deepEqual(seatOf(new_, 2).cards, []);
  });

  test(`${name}: a win at or below the stake is not celebrated`, () => {
    const over = last(name);
    const tone = (net, line) => outcome(withNet(over, net, { stake: "5.00", ...line })).tone;
    const table = over.felt.paytables.find((one) => one.rows.some((row) => row.print === "meter"));
    const row = table?.rows.findIndex((one) => one.print === "meter");
    assert.equal(tone("-5.00"), "loss");
    assert.equal(tone("0.00"), "even");
    assert.equal(tone("5.00"), "win");
    assert.equal(tone("49.99"), "win");
    assert.equal(tone("50.00"), "big");
    if (!table) return;
    assert.equal(tone("900.00", { row: [table.id, row] }), "jackpot");
    const paid = outcome(withNet(over, "9.00", { row: [table.id, row] }));
    assert.match(paid.text, /^Jackpot! You win/);
    for (const net of ["0.00", "-1.00"])
      assert.doesNotMatch(outcome(withNet(over, net, { row: [table.id, row] })).text, /Jackpot/);
  });
}

test("the clock says what it did, and by which clause", () => {
  const over = last("maryland.json");
  const [step] = Object.keys(over.felt.options);
  const chose = (option, by = "clock") => ({
    ...over,
    told: [{ n: 1, event: { type: "Chose", seat: 2, step, option, by } }],
  });
  const [play, fold] = Object.keys(over.felt.options[step]);
  const folded = changed(chose(fold), ({ boxes }) => ({
    boxes: { ...boxes, 2: { ...boxes[2], folded: true } },
  }));
  assert.equal(clockChose(folded).text, "The clock folded for you");
  assert.equal(clockChose(folded).clause, "11.C");
  assert.equal(clockChose(chose(play)).text, "The clock chose \u201cPlay\u201d for you");
  const gone = "You were gone, so the dealer chose \u201cPlay\u201d for you";
  assert.equal(clockChose(chose(play, "posted")).text, gone);
  assert.equal(clockChose(chose(play, "player")), null);
  assert.equal(clockChose({ ...folded, you: { ...over.you, player: "p-else" } }), null);
});

test("before the first bet the line says its limits, and where the table's charges stand", () => {
  const over = last("california.json");
  const betting = changed(over, () => ({ phase: "bets", boxes: {} }));
  assert.equal(ordinary(betting).more, "Ante $5 to $200");
  const fee = { about: "fee", title: "Fees", says: "$1 up to $100", clause: "fees", ruling: null };
  const charging = { ...betting, felt: { ...betting.felt, notices: [fee] } };
  assert.equal(ordinary(charging).more, "Ante $5 to $200. Fees and limits: see Rules");
});

test("a result stays until its player goes on", () => {
  const shown = new Shown();
  const all = states("maryland.json").filter((one) => one.felt);
  all.forEach((state) => shown.take(state));
  const over = all.at(-1);
  assert.equal(shown.of(over), over);
  const betting = changed(over, () => ({ round: "next", phase: "bets", boxes: {} }));
  shown.take(betting);
  assert.equal(shown.of(betting), over, "the next bets are open, and the result is still there");
  shown.next();
  assert.equal(shown.of(betting), betting);
  shown.take(over);
  assert.equal(shown.of(over), over);
  assert.equal(shown.kept, null, "what was seen is not shown again");
});

test("a hand that is dealt without one takes the place of a result that is not held", () => {
  const over = last("maryland.json");
  const dealt = changed(over, ({ boxes }) => ({
    round: "next",
    phase: "decide",
    boxes: { 1: { ...boxes[1], net: null, lines: [] } },
  }));
  for (const held of [false, true]) {
    const shown = new Shown();
    shown.take(over);
    if (held) shown.hold();
    shown.take(dealt);
    assert.equal(shown.of(dealt), held ? over : dealt);
  }
});

test("the balance tells nothing before the cards do", () => {
  const over = last("maryland.json");
  const shown = new Shown();
  const rich = { ...over, you: { ...over.you, cents: over.you.cents + 5000 } };
  const before = shown.balanceOf(changed(over, () => ({ phase: "settle" })), true);
  assert.equal(shown.balanceOf(rich, false), before);
  assert.equal(shown.balanceOf(rich, true), rich.you.cents);
});

test("whoever banks sees range, risk and turn, and afterwards what the bank did", () => {
  const over = last("california.json");
  const offered = changed(over, () => ({ bank_turn: 2, bank_order: [2, 1] }));
  const words = bankWords(offered);
  assert.match(words, /Put up any sum to \$[\d,.]+: you can lose that and no more\./);
  assert.match(words, /At most 2 rounds running, then Bob, seat 1\./);
  assert.equal(ordinary(offered).clause, offered.felt.banking.clause);
  const waits = changed(over, () => ({ bank_turn: 1, bank_order: [1, 2] }));
  assert.match(ordinary(offered).text, /^Will you bank/);
  assert.match(ordinary(waits).text, /^Bob may bank/);
  assert.match(ordinary(waits).more, /then you$/);

  assert.equal(accountOf(over), null, "the other one banks");
  const { banker } = over.scene;
  const mine = { ...over, you: { ...over.you, player: banker.player } };
  const account = accountOf(mine);
  const { funds, took, paid, fee, now, rows } = account;
  assert.ok(rows.length && rows.every((row) => row.bets && row.took !== null));
  assert.equal(took - paid - fee, Math.round(Number(banker.net) * 100));
  assert.equal(now, funds + took - paid - fee);
  assert.match(outcome(mine).text, /^Your bank (wins|loses|breaks)/);
  // What it put up is its stake: little beside it is no big win.
  const came = (net) => changed(mine, () => ({ banker: { ...banker, funds: "200.00", net } }));
  assert.equal(outcome(came("25.00")).tone, "win");
  assert.equal(outcome(came("2000.00")).tone, "big");
  assert.match(outcome(mine).more, /^took \$\d+, paid \$\d+/);
  assert.equal(rows.at(-1).left, funds + took - paid, "what is left when all are settled");
  assert.ok(account.cover.says && account.cover.clause);
  assert.equal(account.turn, "round 1 of at most 2");
  assert.equal(bankOffer(mine).again, "round 2 of 2");
  assert.equal(bankOffer(over).again, "", "the other one has banked");
  const unsettled = accountOf(mine, { ...OPEN, seat: () => false });
  assert.ok(unsettled.rows.every((row) => row.took === null));
  assert.equal(unsettled.now, unsettled.funds);
});

test("at a table with a dealer the line says who deals or is awaited", () => {
  const line = "dealt by Dee, waiting for the floorperson";
  assert.equal(ordinary(changed(last("ride.json"), () => ({ attended: { line } }))).more, line);
});

test("a round that is stopped or void asks no seat", () => {
  const nobody = { phase: "decide", asked: null, choices: [] };
  const waits = { attended: { line: "dealt by Dee", awaits: ["floor"] } };
  const at = (scene) => ordinary(changed(last("ride.json"), () => ({ ...nobody, ...scene }))).text;
  assert.equal(at(waits), "The round is stopped.");
  assert.equal(at({ attended: { line: "", awaits: ["dealer"] } }), "The cards are turned up.");
  assert.equal(at({ ...waits, void: { says: "a misdeal" } }), "The round is void: a misdeal.");
});

test("a dealer, and no button, closes betting where there is one", () => {
  const betting = states("maryland.json").find(
    (state) => ordinary(state).more === "Then press Deal.",
  );
  const attended = { line: "dealt by Dee", awaits: [] };
  const dealt = changed(betting, () => ({ attended }));
  assert.equal(ordinary(dealt).more, "The dealer closes betting.");
  const ready = changed(dealt, ({ seats }) => ({
    seats: Object.fromEntries(Object.entries(seats).map(([n, one]) => [n, { ...one, ready: true }])),
  }));
  assert.deepEqual([ordinary(ready).text, ordinary(ready).more], ["You are ready.", "Dealt by Dee"]);
});

test("a brief sum is never more than the sum", () => {
  const said = [550, 12_350, 99_999, 100_014, 1_234_514, 100_000_000].map(brief);
  assert.deepEqual(said, ["$5.50", "$123", "$999", "1k", "12k", "1000k"]);
  assert.deepEqual([signed(-1_234_514, brief), signed(1_150_00, brief)], ["\u221212k", "+1.1k"]);
});
